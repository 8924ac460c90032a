import type { Logger } from 'pino'
import { maskUrl, type CloseReason, type Publisher, type PullEnd, type PullRequest } from 'sluice/sdk'
import type { RtmpContext } from '../plugin-context.ts'
import { CODEC_ADVICE, LEFT_OUT, RtmpIngest } from '../to-stream.ts'
import { parseData } from '../wire/message/data.ts'
import { MESSAGE_TYPE } from '../wire/message/message-type.ts'
import type { RawMessage } from '../wire/message/raw-message.ts'
import { RtmpClientError } from './client-error.ts'
import { PLAYER_PROPERTIES, PLAYER_VERSION } from './connect-properties.ts'
import { EarlyMessages } from './early-messages.ts'
import { RTMP } from '../protocol.ts'
import { openStream } from './open-stream.ts'
import type { RtmpClient } from './rtmp-client.ts'
import { statusOf, type Status } from './status.ts'

/** The longest that a server may wait for a publisher of the stream. */
const PLAY_TIMEOUT_MS = 30_000
/** The media of a recording that a server may send ahead. */
const BUFFER_MS = 3000
const ENDED = 'the source has ended'

/** Offers to pull streams by RTMP; the definition names `pull:rtmp` in its `provides`. */
export function providePull(ctx: RtmpContext): void {
  ctx.services.provide('pull:rtmp', {
    schemes: Object.keys(RTMP.schemes),
    headerless: true,
    async pull(request) {
      const log = ctx.log.child({ stream: request.session.streamPath, source: maskUrl(request.url) })
      for (let left = request.loop; ; left -= 1) {
        const end = await new RtmpPull({ ctx, log, request }).run()
        if (end.by === 'server' || left === 0) return end
      }
    },
  })
}

type RtmpPullOptions = { readonly ctx: RtmpContext; readonly log: Logger; readonly request: PullRequest }

/** Pulls one source, from the connection to its end. */
class RtmpPull {
  readonly #options: RtmpPullOptions
  readonly #stop = new AbortController()
  readonly #signal: AbortSignal
  readonly #end = Promise.withResolvers<PullEnd>()
  readonly #early = new EarlyMessages()
  #publisher: Publisher | undefined
  #ingest: RtmpIngest | undefined
  /** True when the server has agreed to play; earlier statuses belong to the opening of the stream. */
  #isPlaying = false
  #isRecording = false

  constructor(options: RtmpPullOptions) {
    this.#options = options
    this.#signal = AbortSignal.any([options.request.signal, this.#stop.signal])
    // The promise may reject before anything waits for it.
    this.#end.promise.catch(() => {})
  }

  /** See `PullService.pull`. */
  async run(): Promise<PullEnd> {
    const { ctx, request } = this.#options
    let client: RtmpClient | undefined
    const abort = () => this.#fail('the pull was stopped')
    this.#signal.addEventListener('abort', abort, { once: true })
    try {
      client = await openStream({
        request,
        verifyCertificate: ctx.config.verifycertificate,
        signal: this.#signal,
        client: {
          multitrack: true,
          userAgent: PLAYER_VERSION,
          properties: PLAYER_PROPERTIES,
          onMedia: (raw) => this.#receive(raw),
          onPing: () => this.#publisher?.alive(),
          onStatus: (status) => this.#takeStatus(status),
          onStreamEvent: (kind) => this.#takeEvent(kind),
        },
        begin: (opening) => this.#play(opening),
      })
      void client.closed.then((reason) => this.#fail(`the connection has ended: ${reason}`))
      const end = await this.#end.promise
      if (end.by === 'source' && !this.#publisher?.writtenBytes) throw new RtmpClientError('the source has no media')
      return end
    } finally {
      this.#signal.removeEventListener('abort', abort)
      this.#ingest = undefined
      this.#stop.abort()
      client?.close('the pull has ended')
      this.#publisher?.close('the pull has ended')
    }
  }

  async #play(client: RtmpClient): Promise<void> {
    this.#options.request.step('play')
    await client.createStream()
    client.send({ kind: 'setBufferLength', streamId: client.streamId, lengthMs: BUFFER_MS })
    await client.play(PLAY_TIMEOUT_MS)
  }

  #receive(raw: RawMessage): void {
    if (isComplete(raw)) return this.#sourceEnded(true)
    if (this.#ingest !== undefined) this.#ingest.receive(raw)
    else if (this.#publisher === undefined) this.#early.add(raw)
  }

  /** Takes a status. The client reads nothing until the returned promise settles, while the publisher is admitted. */
  #takeStatus({ code, isError }: Status): Promise<void> | undefined {
    if (code === 'NetStream.Play.Start') return this.#started()
    if (!this.#isPlaying) return undefined
    if (code === 'NetStream.Play.Stop' || code === 'NetStream.Play.UnpublishNotify')
      this.#sourceEnded(this.#isRecording)
    else if (isError) this.#fail(`the server said ${code}`)
    return undefined
  }

  #takeEvent(kind: 'streamIsRecorded' | 'streamEof'): void {
    if (kind === 'streamIsRecorded') this.#isRecording = true
    else if (this.#isPlaying) this.#sourceEnded(this.#isRecording)
  }

  #started(): Promise<void> | undefined {
    if (this.#isPlaying) return undefined
    this.#isPlaying = true
    return this.#publish()
  }

  /** Publishes the stream. It never rejects: an error ends the pull. */
  async #publish(): Promise<void> {
    const { ctx, log, request } = this.#options
    try {
      const publisher = await ctx.streams.publish(
        { ...request.session, signal: this.#signal },
        { ...request.options, timestampBits: 32 },
      )
      if (this.#signal.aborted) return publisher.close('the pull has ended')
      this.#publisher = publisher
      const ingest = new RtmpIngest(publisher, (codec) => log.warn({ codec, advice: CODEC_ADVICE }, LEFT_OUT))
      this.#ingest = ingest
      publisher.details(() => ({ droppedUnits: ingest.dropped, droppedData: ingest.droppedData }))
      publisher.onClose((reason) => this.#closed(reason))
      for (const raw of this.#early.take()) ingest.receive(raw)
    } catch (error) {
      this.#end.reject(error)
    }
  }

  #closed(reason: CloseReason): void {
    this.#ingest = undefined
    this.#end.resolve({ by: 'server', reason })
  }

  #sourceEnded(isOver: boolean): void {
    if (isOver) this.#end.resolve({ by: 'source' })
    else this.#fail(ENDED)
  }

  #fail(message: string): void {
    this.#end.reject(new RtmpClientError(message))
  }
}

/** True for the data message by which a server reports that a recording has been played to its end. */
function isComplete({ typeId, payload }: RawMessage): boolean {
  if (typeId !== MESSAGE_TYPE.dataAmf0 && typeId !== MESSAGE_TYPE.dataAmf3) return false
  if (!payload.includes('onPlayStatus')) return false
  const { name, values } = parseData(payload, typeId === MESSAGE_TYPE.dataAmf3)
  return name === 'onPlayStatus' && values.some((value) => statusOf(value)?.code === 'NetStream.Play.Complete')
}
