import type { Logger } from 'pino'
import { maskTarget, socketSink, type CloseReason, type PushRequest, type Subscriber } from 'sluice/sdk'
import { canCarryInFlv, mainTracks, serializeAmf0, serializeOnMetaData } from 'sluice/sdk/media'
import type { RtmpFormats } from '../from-stream.ts'
import type { RtmpContext } from '../plugin-context.ts'
import { CAPS_EX_MULTITRACK } from '../replies.ts'
import { MESSAGE_TYPE } from '../wire/message/message-type.ts'
import { RtmpClientError } from './client-error.ts'
import { publisherProperties, untakenCodecs } from './connect-properties.ts'
import { openStream, SCHEMES } from './open-stream.ts'
import type { RtmpClient } from './rtmp-client.ts'
import type { Status } from './status.ts'

/** Servers commonly take no larger chunks from those who publish. */
const MAX_CHUNK_SIZE_BYTES = 65_536
const LEFT_OUT = 'tracks are left out: RTMP can carry none of their codecs'
const NOT_TAKEN = 'the target does not list codecs of the stream among those that it takes'
const CODEC_ADVICE = 'publish H.264 and AAC, which every target takes'

type RtmpPushOptions = {
  readonly ctx: RtmpContext
  readonly formats: RtmpFormats
  readonly log: Logger
  readonly request: PushRequest
}

/** Offers to push streams out by RTMP; the definition names `push:rtmp` in its `provides`. */
export function providePush(ctx: RtmpContext, formats: RtmpFormats): void {
  ctx.services.provide('push:rtmp', {
    schemes: SCHEMES,
    headerless: true,
    push(request) {
      const log = ctx.log.child({ stream: request.session.streamPath, target: maskTarget(request.url) })
      return new RtmpPush({ ctx, formats, log, request }).run()
    },
  })
}

/** Pushes one stream to another server, from the connection to the end of either. */
class RtmpPush {
  readonly #options: RtmpPushOptions
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #end = Promise.withResolvers<CloseReason>()
  #isOpen = false

  constructor(options: RtmpPushOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.request.signal, this.#stop.signal])
    // Who waits for it may have failed before.
    this.#end.promise.catch(() => {})
  }

  /** See `PushService.push`. */
  async run(): Promise<CloseReason> {
    const { ctx, request } = this.#options
    const subscriber = await ctx.streams.subscribe(request.session)
    let closed: CloseReason | undefined
    let client: RtmpClient | undefined
    subscriber.onClose((reason) => {
      closed = reason
      this.#end.resolve(reason)
      this.#stop.abort()
    })
    const abort = () => this.#fail('the push was stopped')
    request.signal.addEventListener('abort', abort, { once: true })
    try {
      client = await this.#open(subscriber)
      void client.closed.then((reason) => this.#fail(`the connection has ended: ${reason}`))
      this.#send(client, subscriber)
      return await this.#end.promise
    } catch (error) {
      if (closed === undefined || request.signal.aborted) throw error
      return closed
    } finally {
      request.signal.removeEventListener('abort', abort)
      // What a slow target has not taken would only hold up the end.
      if (client !== undefined) leave(client, closed?.code === 'slow')
      subscriber.close('the push has ended')
    }
  }

  async #open(subscriber: Subscriber): Promise<RtmpClient> {
    const { ctx, log, request } = this.#options
    const { tracks } = subscriber
    const carried = tracks.filter(canCarryInFlv)
    if (carried.length === 0) throw new RtmpClientError("RTMP can carry none of the stream's tracks")
    if (carried.length < tracks.length) {
      const codecs = tracks.filter((track) => !canCarryInFlv(track)).map(({ codec }) => codec)
      log.warn({ codecs, advice: CODEC_ADVICE }, LEFT_OUT)
    }
    return openStream({
      request,
      verifyCertificate: ctx.config.verifycertificate,
      signal: this.#signal,
      client: {
        chunkSizeBytes: this.#chunkSizeBytes,
        multitrack: mainTracks(carried).length < carried.length,
        properties: publisherProperties(carried),
        onStatus: (status) => this.#takeStatus(status),
      },
      begin: (client) => this.#publish(client),
    })
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

  #send(client: RtmpClient, subscriber: Subscriber): void {
    const { formats, log, request } = this.#options
    const { serverFields, streamId } = client
    const carried = subscriber.tracks.filter(canCarryInFlv)
    const codecs = untakenCodecs(carried, serverFields)
    if (codecs.length > 0) log.warn({ codecs, advice: CODEC_ADVICE }, NOT_TAKEN)
    const { capsEx } = serverFields
    const multitrack = typeof capsEx === 'number' && (capsEx & CAPS_EX_MULTITRACK) !== 0
    // Publishers say it in this form, which servers keep for players to come; what follows is as players get it.
    const metadata = [serializeAmf0(['@setDataFrame']), serializeOnMetaData(mainTracks(carried))]
    client.sendMedia(MESSAGE_TYPE.dataAmf0, 0, metadata)
    const format = formats.get({ chunkSizeBytes: this.#chunkSizeBytes, messageStreamId: streamId, multitrack })
    subscriber.attach(format, socketSink(client.socket))
    log.info({ codecs: carried.map(({ codec }) => codec) }, 'push')
    request.begun(subscriber)
  }

  #takeStatus({ code, isError }: Status): undefined {
    if (this.#isOpen && isError) this.#fail(`the server said ${code}`)
  }

  #fail(message: string): void {
    this.#end.reject(new RtmpClientError(message))
  }

  get #chunkSizeBytes(): number {
    return Math.min(this.#options.ctx.config.chunksize, MAX_CHUNK_SIZE_BYTES)
  }
}

/** Takes leave of the target, which then has the path back, or cuts the connection. */
function leave(client: RtmpClient, atOnce: boolean): void {
  if (atOnce) return client.close('the push has ended')
  client.announce('FCUnpublish', client.url.name)
  client.announce('deleteStream', client.streamId)
  client.closeSoon('the push has ended')
}
