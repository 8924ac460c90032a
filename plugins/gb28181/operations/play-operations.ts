import {
  InvalidRequest,
  messageOf,
  SluiceError,
  StreamNotFound,
  StreamUnavailable,
  TIME_RANGE,
  Type,
  type PullWish,
  type RunningPull,
} from 'sluice/sdk'
import type { Platform } from '../platform.ts'
import { livePath, type Channel } from '../registry/channel.ts'
import { lastingWish, watchedWish } from '../streams/sources.ts'
import { playbackRangeOf } from '../streams/stream-address.ts'
import { channelByKey, channelOf, deviceOf, ONE_CHANNEL, type AddOperation } from './requests.ts'

const BY_OPERATOR = 'an operator has stopped it'

const PlayAnswer = Type.Object({
  streamPath: Type.String(),
  ssrc: Type.String({ description: 'That the device was told' }),
})

/** Adds the operations that begin and end streams without viewers, as older clients do (api.md 7.2). */
export function addPlayOperations(add: AddOperation, platform: Platform): void {
  const { ctx, running } = platform
  const { pulls } = ctx.jobs

  add({
    method: 'GET',
    path: 'api/play/start/{deviceId}/{channelId}',
    summary: 'Fetch the live stream of a channel until it is stopped; viewers have it fetched by themselves',
    params: ONE_CHANNEL,
    access: 'admin',
    answer: PlayAnswer,
    handle({ params: { deviceId, channelId } }) {
      const elsewhere = platform.registry.channel(deviceId, channelId)?.streamPath ?? ''
      if (elsewhere !== '') return published(elsewhere)
      const channel = playable(deviceId, channelId)
      return begun(lastingWish(livePath(channel), channel))
    },
  })

  add({
    method: 'GET',
    path: 'api/play/stop/{deviceId}/{channelId}',
    summary: 'Fetch the live stream of a channel no longer',
    params: ONE_CHANNEL,
    access: 'admin',
    handle({ params: { deviceId, channelId } }) {
      stop(livePath(channelOf(platform, deviceId, channelId)))
    },
  })

  add({
    method: 'POST',
    path: 'api/playback/start/{deviceId}/{channelId}',
    summary: 'Fetch a recording of a channel until its end; viewers have it fetched by themselves',
    params: ONE_CHANNEL,
    body: Type.Object({
      ...TIME_RANGE,
      lasting: Type.Optional(
        Type.Boolean({ description: 'false: it also ends when its viewers have left, or none have come' }),
      ),
    }),
    query: Type.Object(TIME_RANGE),
    answer: PlayAnswer,
    handle({ params: { deviceId, channelId }, body: { lasting = true, ...range }, query }) {
      const channel = playable(deviceId, channelId)
      const args = Object.fromEntries(Object.entries({ ...query, ...range }))
      if (playbackRangeOf(args) === undefined) throw new InvalidRequest('start is missing')
      const streamPath = freePath(livePath(channel))
      const wish = lasting ? lastingWish(streamPath, channel) : watchedWish(streamPath, channel)
      return begun({ ...wish, args })
    },
  })

  add({
    method: 'POST',
    path: 'api/play/convertStop/{key}',
    summary: 'End the stream of a channel, whose id is the key; nothing is converted',
    params: Type.Object({ key: Type.String({ description: 'Of the device and the channel, with _ between them' }) }),
    handle: ({ params: { key } }) => stop(livePath(channelByKey(platform, key))),
  })

  add({
    method: 'GET',
    path: 'api/play/ssrc',
    summary: 'The streams that are fetched from devices, with their SSRC',
    answer: Type.Array(
      Type.Object({
        deviceId: Type.String(),
        channelId: Type.String(),
        streamPath: Type.String(),
        ssrc: Type.String({ description: 'That the device was told, 10 digits' }),
        type: Type.String({ description: 'Play, Playback or Download' }),
      }),
    ),
    handle: () =>
      [...running].map(([streamPath, { deviceId, channelId, ssrc, name }]) => {
        return { deviceId, channelId, streamPath, ssrc, type: name }
      }),
  })

  /** The stream that a channel plays in place of a device's; others fetch it. @throws {StreamNotFound} */
  function published(streamPath: string) {
    if (ctx.streams.get(streamPath) === undefined) throw new StreamNotFound(`nobody publishes ${streamPath}`)
    return { streamPath, ssrc: '' }
  }

  /** @throws {DeviceUnknown} {ChannelUnknown} {DeviceOffline} */
  function playable(deviceId: string, channelId: string): Channel {
    const device = deviceOf(platform, deviceId)
    const channel = channelOf(platform, deviceId, channelId)
    platform.media.requests.flowTo(device)
    return channel
  }

  /** Begins a pull, unless there is one, and waits for its media. */
  async function begun(wish: PullWish) {
    const { streamPath } = wish
    const former = pulls.get(streamPath)
    const isThere = former !== undefined && !former.ending
    if (isThere) pulls.adapt(wish)
    const pull = isThere ? former : pulls.start(wish)
    if (pull === undefined) throw new StreamUnavailable('the server is stopping')
    await mediaOf(pull)
    return { streamPath, ssrc: running.get(streamPath)?.ssrc ?? '' }
  }

  /** Waits for the first media, and gives a pull up whose first try fails. @throws {SluiceError} */
  async function mediaOf(pull: RunningPull): Promise<void> {
    const { streamPath } = pull.wish
    const failed = Promise.withResolvers<never>()
    const forget = pulls.onFailure((path) => {
      if (path !== streamPath) return
      const fault = pull.steps.list.at(-1)?.error || 'it sends nothing'
      failed.reject(new StreamUnavailable(`the device does not send the stream: ${fault}`))
    })
    try {
      await Promise.race([pull.begun, failed.promise])
    } catch (error) {
      pull.stop('its first try has failed')
      throw error instanceof SluiceError ? error : new StreamUnavailable(messageOf(error), { cause: error })
    } finally {
      forget()
    }
  }

  /** @throws {StreamNotFound} */
  function stop(streamPath: string): void {
    const pull = pulls.get(streamPath)
    if (pull === undefined || pull.ending) throw new StreamNotFound('this channel is not played')
    pull.stop(BY_OPERATOR)
  }

  /** A path of recordings that no pull has. */
  function freePath(live: string): string {
    for (let number = 1; ; number += 1) {
      const streamPath = `gb_${number}/${live}`
      if (pulls.get(streamPath) === undefined) return streamPath
    }
  }
}
