import { addressTemplates, type Endpoints, type InheritedConfig, type PluginEndpoints } from 'sluice/sdk'

/** An address of a plugin, as the page shows it. */
export type ShownAddress = {
  readonly plugin: string
  /** The scheme of the URL: `http`, `ws`, `rtmp`, … */
  readonly scheme: string
  /** A template with `{streamPath}` and, unless it is relative to the page, `{hostName}`. */
  readonly address: string
}

/** The information for any visitor of the page: no secrets, and no stream but the one that the operator named. */
export type VisitorView = {
  /** True when the administration answers this visitor, so that the page may request the list of streams. */
  readonly administration: boolean
  /** The address of the administration page, relative to the server's root; empty where there is none for this visitor. */
  readonly console: string
  /** True when viewers need a key, by the config: the page then plays nothing by itself. */
  readonly playNeedsKey: boolean
  /** The stream that the page plays when its address names none; empty when that is not published, or needs a key. */
  readonly streamPath: string
  readonly publish: readonly ShownAddress[]
  readonly play: readonly ShownAddress[]
}

type HttpAddresses = Pick<InheritedConfig['http'], 'listenaddr' | 'listenaddrtls'>

/** The addresses of one kind of all plugins. Those of the page's own server are relative to the page, and listed once. */
export function shownAddresses(
  endpoints: readonly PluginEndpoints[],
  kind: keyof Endpoints,
  http: HttpAddresses,
): ShownAddress[] {
  const origins = addressTemplates(http, '/', ['http', 'ws'])
  const shown = new Map<string, ShownAddress>()
  for (const { plugin, [kind]: templates } of endpoints) {
    for (const template of templates) {
      const address = shownAddress(plugin, template, origins)
      shown.set(`${address.scheme} ${address.address}`, address)
    }
  }
  return [...shown.values()]
}

function shownAddress(plugin: string, template: string, origins: readonly string[]): ShownAddress {
  const scheme = template.slice(0, Math.max(0, template.indexOf(':'))).toLowerCase()
  const origin = origins.find((prefix) => template.startsWith(prefix))
  if (origin === undefined) return { plugin, scheme, address: template }
  // A proxy may use TLS when the server does not: the page's own address decides.
  return { plugin, scheme: scheme.startsWith('ws') ? 'ws' : 'http', address: template.slice(origin.length) }
}

/** True when viewers need a key in the query. The sections of the playing plugins may override it. */
export function needsKey(config: Readonly<InheritedConfig>): boolean {
  const { enableauth, subscribe, signed_policy: policy } = config
  if (enableauth && subscribe.key !== '') return true
  return policy.enable && policy.secret !== '' && policy.actions.includes('play')
}
