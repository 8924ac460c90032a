import { setTimeout as delay } from 'node:timers/promises'
import {
  messageOf,
  publishSource,
  SluiceError,
  type Publisher,
  type PullEnd,
  type PullRequest,
  type SourceControl,
} from 'sluice/sdk'
import { fail, type Download, type Downloads } from '../download/downloads.ts'
import { followDownload } from '../download/follow-download.ts'
import { ChannelUnknown, DeviceUnknown } from '../errors.ts'
import type { Inquiries } from '../inquiry/inquiries.ts'
import { keyframeControl } from '../manscdp/controls.ts'
import { MediaSession, type MediaTools, type MediaWish } from '../media/media-session.ts'
import type { Channel } from '../registry/channel.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import type { GbSessionName } from '../sdp/session-description.ts'
import { PlaybackControl } from './playback-control.ts'
import { whileListed, type RunningStreams } from './running-streams.ts'
import { addressOfUrl, playbackRangeOf, type PlaybackRange } from './stream-address.ts'

/** Packets that are on their way when a device says that a recording is over. */
const LAST_PACKETS_MS = 300
/** The time until it is said which streams of a device make no track. */
const UNSUPPORTED_AFTER_MS = 5000
/** The times of program streams are counters of 33 bits. */
const TIMESTAMP_BITS = 33

export type PullTools = {
  readonly running: RunningStreams
  readonly downloads: Downloads
  readonly media: MediaTools
  readonly registry: Registry
  readonly inquiries: Inquiries
}

/** Offers to pull the media of devices; the definition names `pull:gb28181` in its `provides`. */
export function providePull(tools: PullTools): void {
  tools.media.ctx.services.provide('pull:gb28181', {
    schemes: ['gb28181'],
    headerless: true,
    pull: (request) => pull(tools, request),
  })
}

async function pull(tools: PullTools, request: PullRequest): Promise<PullEnd> {
  const { deviceId, channelId, query } = addressOfUrl(request.url)
  const { device, channel } = find(tools.registry, deviceId, channelId)
  const args = { ...Object.fromEntries(query), ...request.args }
  const range = playbackRangeOf(args)
  const wish = wishOf(device, channel, range, args)
  const download = wish.name === 'Download' ? tools.downloads.at(request.session.streamPath) : undefined
  const session = await openSession(tools, wish, request, download)
  try {
    return await publish(tools, request, session, { device, channel, range, download, name: wish.name })
  } finally {
    session.close()
  }
}

async function openSession(
  { media }: PullTools,
  wish: MediaWish,
  request: PullRequest,
  download: Download | undefined,
): Promise<MediaSession> {
  try {
    return await MediaSession.open(media, wish, request.signal, (name, text) => request.step(name, text))
  } catch (error) {
    if (download !== undefined) fail(download, messageOf(error))
    throw error
  }
}

/** @throws {DeviceUnknown} {ChannelUnknown} */
function find(registry: Registry, deviceId: string, channelId: string): { device: Device; channel: Channel } {
  const device = registry.device(deviceId)
  if (device === undefined) throw new DeviceUnknown(deviceId)
  const channel = registry.channel(deviceId, channelId)
  if (channel === undefined) throw new ChannelUnknown(deviceId, channelId)
  return { device, channel }
}

function wishOf(
  device: Device,
  channel: Channel,
  range: PlaybackRange | undefined,
  args: Readonly<Record<string, string>>,
): MediaWish {
  const { channelId } = channel
  if (range === undefined) {
    return { device, channelId, name: 'Play', streamNumber: args['stream'] === '1' ? 1 : channel.streamNumber }
  }
  const times = { startSeconds: Math.floor(range.startMs / 1000), stopSeconds: Math.ceil(range.endMs / 1000) }
  const speed = Number(args['download'])
  if (speed > 0) return { device, channelId, name: 'Download', ...times, downloadSpeed: speed }
  return { device, channelId, name: 'Playback', ...times }
}

type Source = {
  readonly device: Device
  readonly channel: Channel
  readonly range: PlaybackRange | undefined
  readonly download: Download | undefined
  readonly name: GbSessionName
}

function publish(tools: PullTools, request: PullRequest, session: MediaSession, source: Source): Promise<PullEnd> {
  const { ctx } = tools.media
  const { device, channel, range, download } = source
  const isPlayback = range !== undefined && download === undefined
  const playback = isPlayback ? new PlaybackControl(session, device.id, range) : undefined
  const control: SourceControl = playback ?? { requestKeyframe: () => askForKeyframe(tools, source) }
  const options = {
    control,
    timestampBits: TIMESTAMP_BITS,
    // Its viewer may steer it.
    personal: isPlayback,
    ...(!channel.hasAudio && { config: { ...request.options.config, pubaudio: false } }),
  }
  const fetching = publishSource(ctx.streams, request, options, async (publisher) => {
    if (playback !== undefined) playback.publisher = publisher
    describe(publisher, session)
    const following = download === undefined ? undefined : followDownload(ctx, session, publisher, download)
    session.deliver(following?.sink ?? publisher, () => publisher.tracksComplete())
    const stop = ctx.setTimeout(() => reportUnsupported(tools, session, source), UNSUPPORTED_AFTER_MS)
    // Whoever ends it, the device or the server.
    publisher.onClose(() => {
      stop()
      following?.stop()
    })
    const reason = await session.ended
    await delay(LAST_PACKETS_MS)
    session.inlet.close()
    following?.ended()
    if (range === undefined) throw new SluiceError('SOURCE_ENDED', 502, reason)
  })
  const ids = { deviceId: device.id, channelId: channel.channelId }
  const stream = { ...ids, name: source.name, ssrc: session.ssrc, playback }
  return whileListed(tools.running, request.session.streamPath, stream, fetching)
}

function describe(publisher: Publisher, session: MediaSession): void {
  publisher.details(() => ({
    transport: session.mode,
    ssrc: session.ssrc,
    ...(session.inlet.ssrc !== undefined && { sentSsrc: session.inlet.ssrc }),
    ...session.inlet.counts,
  }))
}

function askForKeyframe({ inquiries, media }: PullTools, { device, channel }: Source): void {
  inquiries.tell(device, keyframeControl(channel.channelId, device.version || undefined)).catch((err: unknown) => {
    media.ctx.log.debug({ err, device: device.id }, 'a device was not asked for a keyframe')
  })
}

function reportUnsupported({ media }: PullTools, { inlet }: MediaSession, { device, channel }: Source): void {
  const streams = [...(inlet.unsupported ?? [])]
  if (streams.length === 0) return
  media.ctx.log.warn(
    { device: device.id, channel: channel.channelId, streams },
    'streams are left out: their format is not supported',
  )
}
