import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'

/** The time between looks for devices that are silent. */
const LOOK_MS = 5000
/** The longest time between signs of life that is believed. */
const MAX_INTERVAL_MS = 60 * 60_000

/** Declares devices offline that send no signs of life, or whose registration has ended. */
export function watchPresence(ctx: GbContext, registry: Registry, onLost: (device: Device) => void): void {
  const look = () => {
    const nowMs = Date.now()
    for (const device of registry.devices) {
      if (!device.isOnline) continue
      const reason = faultOf(device, ctx.config, nowMs)
      if (reason === undefined) continue
      registry.changeDevice(device, { isOnline: false })
      ctx.log.info({ device: device.id }, `a device is offline: ${reason}`)
      onLost(device)
    }
  }
  const stop = ctx.setInterval(look, LOOK_MS)
  ctx.onDrain(stop)
}

type Limits = Pick<GbContext['config'], 'keepaliveinterval' | 'keepalivecount'>

function faultOf({ expiresMs, keptAliveMs, keepaliveMs }: Device, limits: Limits, nowMs: number): string | undefined {
  if (nowMs > expiresMs) return 'its registration has ended'
  const intervalMs = Math.max(limits.keepaliveinterval, Math.min(keepaliveMs, MAX_INTERVAL_MS))
  return nowMs - keptAliveMs > intervalMs * limits.keepalivecount ? 'it is silent' : undefined
}
