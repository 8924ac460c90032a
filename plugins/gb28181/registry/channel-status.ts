import type { StreamManager } from 'sluice/sdk'
import type { Channel } from './channel.ts'
import type { Registry } from './registry.ts'

/**
 * True when a channel has pictures, as far as is known: one of a device while both are on, one whose pictures are another stream's
 * while that is published, or where an operator says so.
 */
export function isChannelOn(
  { isOn, isCustom, streamPath, deviceId }: Channel,
  { registry, streams }: { readonly registry: Pick<Registry, 'device'>; readonly streams: Pick<StreamManager, 'get'> },
): boolean {
  if (isCustom && streamPath !== '') return isOn || streams.get(streamPath) !== undefined
  return isOn && registry.device(deviceId)?.isOnline !== false
}
