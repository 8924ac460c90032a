import os from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import { Type, type OperationAnswer, type OperationRegistry, type Static } from 'sluice/sdk'
import type { PluginView } from '../../host/plugin-view.ts'
import { localAddress } from '../../net/local-address.ts'
import { PluginAddresses } from './plugin-addresses.ts'

export type SysinfoSource = {
  readonly log: FastifyBaseLogger
  readonly version: string
  readonly startTime: Date
  readonly publicIp: () => string
  readonly plugins: () => readonly PluginView[]
  /**
   * Returns the user's values in a plugin's section as YAML, secrets masked; also values that the plugin could not take
   * over.
   */
  readonly userConfig: (plugin: string) => string
}

const Page = Type.Object({
  url: Type.Optional(Type.String({ description: 'The address of a page of its own' })),
  title: Type.String(),
  icon: Type.Optional(Type.String()),
  titles: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'The title in other languages, by BCP 47 tag' }),
  ),
  group: Type.Optional(
    Type.String({ description: "The group of the console's menu: live, recording, devices, server, or another" }),
  ),
  module: Type.Optional(Type.String({ description: 'The address of the module of a page in the console' })),
  form: Type.Optional(
    Type.Object(
      {
        schema: Type.Unsafe<object>({ type: 'object' }),
        read: Type.Optional(Type.String({ description: 'The operation whose GET answers the values' })),
        write: Type.String({ description: 'The operation whose POST takes the values' }),
      },
      { description: 'A page in the console that is made of a JSON Schema' },
    ),
  ),
})

const PluginInfo = Type.Object({
  name: Type.String(),
  pushAddr: Type.Array(Type.String()),
  playAddr: Type.Array(Type.String()),
  description: Type.Record(Type.String(), Type.String()),
  pages: Type.Optional(
    Type.Array(Page, {
      description: 'Its pages for people, by their addresses on this server; missing where it has none',
    }),
  ),
})
type PluginInfo = OperationAnswer<Static<typeof PluginInfo>>

const SysInfo = Type.Object({
  startTime: Type.String({ format: 'date-time' }),
  localIP: Type.String(),
  publicIP: Type.String(),
  version: Type.String(),
  goVersion: Type.String(),
  os: Type.String(),
  arch: Type.String(),
  cpus: Type.Integer(),
  plugins: Type.Array(PluginInfo),
})

/** `GET /api/sysinfo` (spec.md, System information) and `GET /api/plugins/disabled`. */
export function addSysinfoOperations(operations: OperationRegistry, source: SysinfoSource): void {
  const addresses = new PluginAddresses(source.log)
  const shown = (wanted: (plugin: PluginView) => boolean) =>
    source
      .plugins()
      .filter(wanted)
      .map((plugin) => pluginInfo(plugin, addresses, source))

  operations.add({
    method: 'GET',
    path: '/api/sysinfo',
    summary: 'System information',
    answer: SysInfo,
    handle() {
      const localIp = localAddress() ?? '127.0.0.1'
      return {
        startTime: source.startTime.toISOString(),
        localIP: localIp,
        publicIP: source.publicIp() || localIp,
        version: source.version,
        goVersion: `node ${process.version}`,
        os: process.platform,
        arch: process.arch,
        cpus: os.availableParallelism(),
        plugins: shown(({ disableReason }) => disableReason === undefined),
      }
    },
  })

  operations.add({
    method: 'GET',
    path: '/api/plugins/disabled',
    summary: 'Plugins that do not run, and why',
    answer: Type.Array(PluginInfo),
    handle: () => shown(({ disableReason }) => disableReason !== undefined),
  })
}

function pluginInfo(plugin: PluginView, addresses: PluginAddresses, { userConfig }: SysinfoSource): PluginInfo {
  const { pushAddr, playAddr, pullAddr, downloadAddr } = addresses.of(plugin)
  return {
    name: plugin.name,
    pushAddr: [...pushAddr],
    playAddr: [...playAddr],
    description: {
      version: plugin.version,
      userConfig: userConfig(plugin.name),
      playAddr: playAddr.join(', '),
      pushAddr: pushAddr.join(', '),
      pullAddr: pullAddr.join(', '),
      downloadAddr: downloadAddr.join(', '),
      tcp: listenersText(plugin.listeners.filter(({ tls }) => !tls)),
      udp: listenersText(plugin.udpListeners),
      generation: String(plugin.generation),
      state: plugin.state,
      ...nonEmpty({
        ...httpAddresses(plugin),
        tcpTLS: listenersText(plugin.listeners.filter(({ tls }) => tls)),
        description: plugin.description,
        disableReason: plugin.disableReason,
        lastError: plugin.lastError,
      }),
    },
    ...(plugin.pages && { pages: plugin.pages }),
  }
}

/** The listening addresses of a plugin's HTTP server: its own, or those that it inherits from `global`. */
function httpAddresses({ config, disableReason }: PluginView): { readonly http?: string; readonly httpTLS?: string } {
  if (config === undefined || disableReason !== undefined) return {}
  const { listenaddr, listenaddrtls } = config.values.http
  return { http: listenaddr, httpTLS: listenaddrtls }
}

/** The fields that are not empty. */
function nonEmpty(fields: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, text = '']) => (text === '' ? [] : [[name, text]])))
}

function listenersText(listeners: PluginView['udpListeners']): string {
  return listeners.map(listenerText).join(', ')
}

function listenerText({ host, port }: PluginView['udpListeners'][number]): string {
  if (host === '::' || host === '0.0.0.0') return `:${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
