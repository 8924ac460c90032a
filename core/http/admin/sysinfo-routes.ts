import os from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { Endpoints } from 'sluice/sdk'
import { ok } from '../envelope.ts'

/** A plugin as `/api/sysinfo` shows it. */
export type PluginView = {
  readonly name: string
  readonly version: string
  readonly endpoints: Endpoints
  /** Its config section as the user wrote it, secrets masked. */
  readonly userConfig: string
  /** What it listens on, beside HTTP. */
  readonly tcp: readonly string[]
  readonly udp: readonly string[]
  readonly generation: number
  /** Why it does not run; undefined when it does. */
  readonly disableReason: string | undefined
  /** Why its newest version could not take over; the one before goes on. */
  readonly lastError: string | undefined
}

export type SysinfoSource = {
  readonly version: string
  readonly startTime: Date
  readonly publicIp: () => string
  readonly plugins: () => readonly PluginView[]
}

/** `GET /api/sysinfo` (spec.md, System information) and `GET /api/plugins/disabled`. */
export function registerSysinfoRoutes(app: FastifyInstance, source: SysinfoSource): void {
  app.get('/api/sysinfo', () => {
    const localIp = localAddress()
    return ok({
      startTime: source.startTime.toISOString(),
      localIP: localIp,
      publicIP: source.publicIp() || localIp,
      version: source.version,
      goVersion: `node ${process.version}`,
      os: process.platform,
      arch: process.arch,
      cpus: os.availableParallelism(),
      plugins: source
        .plugins()
        .filter(({ disableReason }) => disableReason === undefined)
        .map(pluginInfo),
    })
  })

  app.get('/api/plugins/disabled', () =>
    ok(
      source
        .plugins()
        .filter(({ disableReason }) => disableReason !== undefined)
        .map(pluginInfo),
    ),
  )
}

function pluginInfo(plugin: PluginView) {
  const { pushAddr = [], playAddr = [], pullAddr = [], downloadAddr = [] } = plugin.endpoints
  return {
    name: plugin.name,
    pushAddr,
    playAddr,
    description: {
      version: plugin.version,
      userConfig: plugin.userConfig,
      playAddr: playAddr.join(', '),
      pushAddr: pushAddr.join(', '),
      pullAddr: pullAddr.join(', '),
      downloadAddr: downloadAddr.join(', '),
      tcp: plugin.tcp.join(', '),
      udp: plugin.udp.join(', '),
      generation: String(plugin.generation),
      ...(plugin.disableReason === undefined ? {} : { disableReason: plugin.disableReason }),
      ...(plugin.lastError === undefined ? {} : { lastError: plugin.lastError }),
    },
  }
}

function localAddress(): string {
  const addresses = Object.values(os.networkInterfaces()).flatMap((list) => list ?? [])
  const outward = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)
  return outward?.address ?? '127.0.0.1'
}
