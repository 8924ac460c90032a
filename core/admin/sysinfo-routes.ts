import os from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { PluginView } from '../host/plugin-view.ts'
import { ok } from '../http/replies.ts'
import { localAddress } from '../net/local-address.ts'
import { PluginAddresses } from './plugin-addresses.ts'

export type SysinfoSource = {
  readonly version: string
  readonly startTime: Date
  readonly publicIp: () => string
  readonly plugins: () => readonly PluginView[]
  /** What the user set in a plugin's section, as YAML, secrets masked; also where the plugin could not take it over. */
  readonly userConfig: (plugin: string) => string
}

/** `GET /api/sysinfo` (spec.md, System information) and `GET /api/plugins/disabled`. */
export function registerSysinfoRoutes(app: FastifyInstance, source: SysinfoSource): void {
  const addresses = new PluginAddresses(app.log)
  const shown = (wanted: (plugin: PluginView) => boolean) =>
    source
      .plugins()
      .filter(wanted)
      .map((plugin) => pluginInfo(plugin, addresses, source))

  app.get('/api/sysinfo', () => {
    const localIp = localAddress() ?? '127.0.0.1'
    return ok({
      startTime: source.startTime.toISOString(),
      localIP: localIp,
      publicIP: source.publicIp() || localIp,
      version: source.version,
      goVersion: `node ${process.version}`,
      os: process.platform,
      arch: process.arch,
      cpus: os.availableParallelism(),
      plugins: shown(({ disableReason }) => disableReason === undefined),
    })
  })

  app.get('/api/plugins/disabled', () => ok(shown(({ disableReason }) => disableReason !== undefined)))
}

function pluginInfo(plugin: PluginView, addresses: PluginAddresses, { userConfig }: SysinfoSource) {
  const { pushAddr, playAddr, pullAddr, downloadAddr } = addresses.of(plugin)
  const text = plugin.description === '' ? {} : { description: plugin.description }
  return {
    name: plugin.name,
    pushAddr,
    playAddr,
    description: {
      version: plugin.version,
      userConfig: userConfig(plugin.name),
      playAddr: playAddr.join(', '),
      pushAddr: pushAddr.join(', '),
      pullAddr: pullAddr.join(', '),
      downloadAddr: downloadAddr.join(', '),
      tcp: plugin.listeners.map(listenerText).join(', '),
      udp: '',
      generation: String(plugin.generation),
      ...text,
      ...(plugin.disableReason === undefined ? {} : { disableReason: plugin.disableReason }),
      ...(plugin.lastError === undefined ? {} : { lastError: plugin.lastError }),
    },
  }
}

function listenerText({ host, port }: PluginView['listeners'][number]): string {
  if (host === '::' || host === '0.0.0.0') return `:${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
