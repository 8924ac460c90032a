import type { Logger } from 'pino'
import { maskTarget, pushStream, socketSink, type PushRequest, type PushTarget, type Subscriber } from 'sluice/sdk'
import { canCarryInFlv, mainTracks, serializeAmf0, serializeOnMetaData } from 'sluice/sdk/media'
import type { RtmpFormats } from '../from-stream.ts'
import type { RtmpContext } from '../plugin-context.ts'
import { CAPS_EX_MULTITRACK } from '../replies.ts'
import { MESSAGE_TYPE } from '../wire/message/message-type.ts'
import { RtmpClientError } from './client-error.ts'
import { publisherProperties, untakenCodecs } from './connect-properties.ts'
import { RTMP } from '../protocol.ts'
import { openStream } from './open-stream.ts'
import type { RtmpClient } from './rtmp-client.ts'
import type { Status } from './status.ts'

/** The largest chunks that servers commonly accept from publishers. */
const MAX_CHUNK_SIZE_BYTES = 65_536
const LEFT_OUT = 'tracks are left out: RTMP can carry none of their codecs'
const NOT_TAKEN = 'the target does not list codecs of the stream among those that it takes'
const CODEC_ADVICE = 'publish H.264 and AAC, which every target takes'

type RtmpPushOptions = {
  readonly ctx: RtmpContext
  readonly formats: RtmpFormats
  readonly log: Logger
  readonly request: PushRequest
  readonly subscriber: Subscriber
}

/** Offers to push streams out by RTMP; the definition names `push:rtmp` in its `provides`. */
export function providePush(ctx: RtmpContext, formats: RtmpFormats): void {
  ctx.services.provide('push:rtmp', {
    schemes: Object.keys(RTMP.schemes),
    headerless: true,
    push(request) {
      const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
      return pushStream(ctx.streams, request, (subscriber, signal) => {
        return new RtmpPush({ ctx, formats, log, request, subscriber }).open(signal)
      })
    },
  })
}

/** Pushes one stream to another server. */
class RtmpPush {
  readonly #options: RtmpPushOptions
  readonly #refused = Promise.withResolvers<never>()
  #isOpen = false

  constructor(options: RtmpPushOptions) {
    this.#options = options
    // The promise may reject after the push has ended.
    this.#refused.promise.catch(() => {})
  }

  /** @throws {RtmpClientError} when the target can't be reached or refuses */
  async open(signal: AbortSignal): Promise<PushTarget> {
    const { ctx, log, request, subscriber } = this.#options
    const { tracks } = subscriber
    const carried = tracks.filter(canCarryInFlv)
    if (carried.length === 0) throw new RtmpClientError("RTMP can carry none of the stream's tracks")
    if (carried.length < tracks.length) {
      const codecs = tracks.filter((track) => !canCarryInFlv(track)).map(({ codec }) => codec)
      log.warn({ codecs, advice: CODEC_ADVICE }, LEFT_OUT)
    }
    const client = await openStream({
      request,
      verifyCertificate: ctx.config.verifycertificate,
      signal,
      client: {
        chunkSizeBytes: this.#chunkSizeBytes,
        multitrack: mainTracks(carried).length < carried.length,
        properties: publisherProperties(carried),
        onStatus: (status) => this.#takeStatus(status),
      },
      begin: (opened) => this.#publish(opened),
    })
    return {
      send: () => this.#send(client),
      closed: Promise.race([client.closed, this.#refused.promise]),
      // A slow target would only delay the end with the data that it has not taken.
      close: (reason) => leave(client, reason?.code === 'slow'),
    }
  }

  async #publish(client: RtmpClient): Promise<void> {
    const { name } = client.url
    this.#options.request.step('publish')
    client.announce('releaseStream', name)
    client.announce('FCPublish', name)
    await client.createStream()
    await client.publish()
    this.#isOpen = true
  }

  #send(client: RtmpClient): void {
    const { formats, log, subscriber } = this.#options
    const { serverFields, streamId } = client
    const carried = subscriber.tracks.filter(canCarryInFlv)
    const codecs = untakenCodecs(carried, serverFields)
    if (codecs.length > 0) log.warn({ codecs, advice: CODEC_ADVICE }, NOT_TAKEN)
    const { capsEx } = serverFields
    const multitrack = typeof capsEx === 'number' && (capsEx & CAPS_EX_MULTITRACK) !== 0
    // Servers keep the metadata of `@setDataFrame` for later players; all other messages have the form in which players get them.
    const metadata = [serializeAmf0(['@setDataFrame']), serializeOnMetaData(mainTracks(carried))]
    client.sendMedia(MESSAGE_TYPE.dataAmf0, 0, metadata)
    const format = formats.get({ chunkSizeBytes: this.#chunkSizeBytes, messageStreamId: streamId, multitrack })
    subscriber.attach(format, socketSink(client.socket))
    log.info({ codecs: carried.map(({ codec }) => codec) }, 'push')
  }

  #takeStatus({ code, isError }: Status): undefined {
    if (this.#isOpen && isError) this.#refused.reject(new RtmpClientError(`the server said ${code}`))
  }

  get #chunkSizeBytes(): number {
    return Math.min(this.#options.ctx.config.chunksize, MAX_CHUNK_SIZE_BYTES)
  }
}

/** Unpublishes at the target, which frees the path there, and closes the connection; `atOnce` only cuts the connection. */
function leave(client: RtmpClient, atOnce: boolean): void {
  if (atOnce) return client.close('the push has ended')
  client.announce('FCUnpublish', client.url.name)
  client.announce('deleteStream', client.streamId)
  client.closeSoon('the push has ended')
}
