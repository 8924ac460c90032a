import { addressTemplates, type Endpoints, type InheritedConfig, type PluginEndpoints } from 'sluice/sdk'

/** An address of a plugin, as the page shows it. */
export type ShownAddress = {
  readonly plugin: string
  /** What it is spoken to by, as in a URL: `http`, `ws`, `rtmp`, … */
  readonly scheme: string
  /** A template with `{streamPath}` and, unless it is relative to the page, `{hostName}`. */
  readonly address: string
}

/** What any visitor of the page may know of the server: no secrets, and no stream but the one the operator named. */
export type VisitorView = {
  /** Whether the administration answers this visitor, so that the page may ask it for the list of streams. */
  readonly administration: boolean
  /** Whether viewers need a key, as far as the config tells: the page then plays nothing by itself. */
  readonly playNeedsKey: boolean
  /** What the page plays when its address names no stream; empty when that is not published, or needs a key. */
  readonly streamPath: string
  readonly publish: readonly ShownAddress[]
  readonly play: readonly ShownAddress[]
}

type HttpAddresses = Pick<InheritedConfig['http'], 'listenaddr' | 'listenaddrtls'>

/** The addresses of one kind of all plugins. What the page's own server answers is relative to the page, and is there once. */
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
  // A proxy may speak TLS where the server does not: the page's own address tells.
  return { plugin, scheme: scheme.startsWith('ws') ? 'ws' : 'http', address: template.slice(origin.length) }
}

/** Whether viewers need a key in the query. The sections of the playing plugins may say otherwise. */
export function needsKey(config: Readonly<InheritedConfig>): boolean {
  const { enableauth, subscribe, signed_policy: policy } = config
  if (enableauth && subscribe.key !== '') return true
  return policy.enable && policy.secret !== '' && policy.actions.includes('play')
}
