import type { PullWish } from 'sluice/sdk'
import type { Downloads } from '../download/downloads.ts'
import type { GbContext } from '../plugin-context.ts'
import { livePath, type Channel } from '../registry/channel.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { pullRule } from './pull-rule.ts'
import { addressOfPath } from './stream-address.ts'

/** Has the streams of devices pulled for those who ask for them: live at `{device}/{channel}`, recordings at `gb_<n>/{device}/{channel}`. */
export function addSources(ctx: GbContext, registry: Registry, downloads: Downloads): void {
  ctx.jobs.pulls.addSource({
    match(streamPath) {
      const download = downloads.wishAt(streamPath)
      if (download !== undefined) return download
      const address = addressOfPath(streamPath)
      if (address === undefined) return undefined
      const channel = registry.channel(address.deviceId, address.channelId)
      if (channel === undefined || registry.device(address.deviceId) === undefined) return undefined
      return wishFor(streamPath, channel, address.isPlayback)
    },
  })
  ctx.hooks.on('lead', ({ streamPath, params }) => {
    const address = addressOfPath(streamPath)
    if (address === undefined || address.isPlayback) return undefined
    const elsewhere = registry.channel(address.deviceId, address.channelId)?.streamPath ?? ''
    return elsewhere === '' || elsewhere === streamPath ? undefined : { streamPath: elsewhere, params }
  })
}

/** Pulls all channels of a device that are on, without viewers, where `autoinvite` is set. */
export function pullAll(ctx: GbContext, registry: Registry, device: Device): void {
  if (!ctx.config.autoinvite || !device.isOnline) return
  for (const channel of registry.channelsOf(device.id)) {
    if (!channel.isOn || ctx.jobs.pulls.get(livePath(channel))?.ending === false) continue
    ctx.jobs.pulls.start(lastingWish(livePath(channel), channel))
  }
}

/** The wish of a stream that goes on as long as it has viewers. */
export function watchedWish(streamPath: string, channel: Channel): PullWish {
  return wishFor(streamPath, channel, addressOfPath(streamPath)?.isPlayback === true)
}

/** The wish of a stream that goes on without viewers. */
export function lastingWish(streamPath: string, channel: Channel): PullWish {
  return {
    ...watchedWish(streamPath, channel),
    publish: { delayclosetimeout: 0, idletimeout: 0 },
    isLasting: true,
  }
}

function wishFor(streamPath: string, channel: Channel, isPlayback: boolean): PullWish {
  return {
    plugin: 'gb28181',
    streamPath,
    rule: pullRule(livePath(channel), '', isPlayback ? 0 : -1),
    publish: {},
    args: {},
    tag: isPlayback ? 'playback' : 'live',
  }
}
