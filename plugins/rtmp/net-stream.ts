import {
  CLIENT_LEFT,
  InvalidRequest,
  SluiceError,
  StreamDenied,
  StreamExists,
  StreamNotFound,
  StreamRedirect,
  socketSink,
  type AudioCodec,
  type CloseReason,
  type PluginContext,
  type Publisher,
  type SessionClient,
  type Subscriber,
} from 'sluice/sdk'
import type { Connection } from './connection.ts'
import type { RtmpFormats } from './from-stream.ts'
import { onFc, onStatus, redirected, type StatusCode } from './replies.ts'
import { CODEC_ADVICE, LEFT_OUT, RtmpIngest } from './to-stream.ts'
import type { Command } from './wire/message/command.ts'
import type { RawMessage } from './wire/message/raw-message.ts'
import type { StreamTarget } from './wire/url.ts'

/** The options of {@link NetStream}, given by its session. */
export type NetStreamOptions = {
  readonly ctx: PluginContext<unknown>
  readonly connection: Connection
  readonly formats: RtmpFormats
  readonly chunkSizeBytes: number
  readonly multitrack: boolean
  /** The codecs of sound that the peer can play. */
  readonly sound: readonly AudioCodec[]
  readonly client: SessionClient
}

/** One message stream of a connection: idle, publishing or playing. */
export class NetStream {
  readonly id: number
  readonly #options: NetStreamOptions
  readonly #leaving = new AbortController()
  #publisher: Publisher | undefined
  #ingest: RtmpIngest | undefined
  #subscriber: Subscriber | undefined
  #playing = false
  #told = false
  #closed = false

  constructor(id: number, options: NetStreamOptions) {
    this.id = id
    this.#options = options
  }

  get idle(): boolean {
    return this.#publisher === undefined && !this.#playing
  }

  /** True when the log contains, or will contain, how the stream's use ended. */
  get told(): boolean {
    return this.#told
  }

  /** Admits the peer as a publisher and answers it. A refusal ends the connection. */
  async publish(command: Command, target: StreamTarget): Promise<void> {
    const { ctx, connection, client } = this.#options
    const { signal } = this.#leaving
    connection.expectNothing()
    let publisher: Publisher
    try {
      publisher = await ctx.streams.publish({ ...target, client, signal }, { timestampBits: 32 })
    } catch (error) {
      return this.#refuse(command, target, error, 'publish')
    }
    if (this.#closed || connection.closed) return publisher.close(CLIENT_LEFT)
    const log = ctx.log.child({ session: publisher.id, stream: publisher.streamPath })
    log.info({ ip: client.ip, port: client.port, userAgent: client.userAgent }, 'publish')
    this.#told = true
    this.#publisher = publisher
    const ingest = new RtmpIngest(publisher, (codec) => log.warn({ codec, advice: CODEC_ADVICE }, LEFT_OUT))
    this.#ingest = ingest
    connection.expectMedia()
    publisher.onClose((reason) => {
      const dropped = ingest.dropped || undefined
      log.info({ reason: reason.text, dropped, droppedData: ingest.droppedData || undefined }, 'publish ended')
      this.#publisherClosed(reason, command.amf3)
    })
    connection.send(onFc('onFCPublish', 'NetStream.Publish.Start', 'publishing', command.amf3))
    this.#status('status', 'NetStream.Publish.Start', 'publishing', command.amf3)
  }

  /**
   * Admits the peer as a player; while there is no publisher, this waits. It is answered when there is one, before media
   * flows: some players wait for media that they themselves send on another connection. A refusal ends the connection.
   */
  async play(command: Command, target: StreamTarget): Promise<void> {
    const { ctx, connection, client, formats, sound } = this.#options
    const { signal } = this.#leaving
    connection.expectNothing()
    this.#playing = true
    let subscriber: Subscriber
    try {
      const onPublisher = () => this.#playStarted(command.amf3)
      subscriber = await ctx.streams.subscribe({ ...target, client, signal, accepts: { audio: sound }, onPublisher })
    } catch (error) {
      return this.#refuse(command, target, error, 'play')
    }
    if (this.#closed || connection.closed) return subscriber.close(CLIENT_LEFT)
    const log = ctx.log.child({ session: subscriber.id, stream: subscriber.streamPath })
    log.info({ ip: client.ip, port: client.port, userAgent: client.userAgent }, 'play')
    this.#told = true
    this.#subscriber = subscriber
    subscriber.onClose((reason) => {
      log.info({ reason: reason.text }, 'play ended')
      this.#subscriberClosed(reason, command.amf3)
    })
    const { chunkSizeBytes, multitrack } = this.#options
    subscriber.attach(
      formats.get({ chunkSizeBytes, messageStreamId: this.id, multitrack }),
      socketSink(connection.socket),
    )
  }

  /** Takes media and data of a publishing peer; ignored of others. */
  receive(raw: RawMessage): void {
    this.#ingest?.receive(raw)
  }

  /** The peer has given a sign of life: a publisher counts as alive. */
  alive(): void {
    this.#publisher?.alive()
  }

  /** Pauses or resumes a player's media (RTMP 1.0 §7.2.2.9). A recording of its own is paused; a shared stream goes on without it. */
  async pause({ args, amf3 }: Command): Promise<void> {
    const subscriber = this.#subscriber
    const control = subscriber?.control
    const paused = args[0] === true
    try {
      if (control?.pause !== undefined) await (paused ? control.pause() : control.resume?.())
      else if (paused) subscriber?.pause()
      else subscriber?.resume()
    } catch (error) {
      return this.#commandFailed('NetStream.Failed', error, amf3)
    }
    this.#status('status', paused ? 'NetStream.Pause.Notify' : 'NetStream.Unpause.Notify', 'done', amf3)
  }

  /** Seeks in a recording (RTMP 1.0 §7.2.2.8). A live stream continues unchanged. */
  async seek({ args: [positionMs], amf3 }: Command): Promise<void> {
    const control = this.#subscriber?.control
    if (control?.seek === undefined || typeof positionMs !== 'number') {
      return this.#status('error', 'NetStream.Seek.Failed', 'a live stream cannot be sought in', amf3)
    }
    try {
      await control.seek((control.position?.().fromMs ?? 0) + positionMs)
    } catch (error) {
      return this.#commandFailed('NetStream.Seek.Failed', error, amf3)
    }
    if (this.#closed) return
    // `streamBegin` goes before the media of the new place: players resume at it.
    this.#options.connection.send({ kind: 'streamBegin', streamId: this.id })
    this.#status('status', 'NetStream.Seek.Notify', 'done', amf3)
    this.#status('status', 'NetStream.Play.Start', 'playing', amf3)
  }

  /** The peer is done with the stream, or the connection has ended. */
  close(reason: string): void {
    this.#closed = true
    this.#leaving.abort()
    this.#publisher?.close(reason)
    this.#subscriber?.close(reason)
  }

  #playStarted(amf3: boolean): void {
    this.#options.connection.send({ kind: 'streamBegin', streamId: this.id })
    this.#status('status', 'NetStream.Play.Reset', 'playing', amf3)
    this.#status('status', 'NetStream.Play.Start', 'playing', amf3)
  }

  #publisherClosed({ text }: CloseReason, amf3: boolean): void {
    this.#publisher = undefined
    this.#ingest = undefined
    if (this.#closed) return
    this.#status('error', 'NetStream.Publish.Failed', `the stream was closed: ${text}`, amf3)
    this.#options.connection.close(text)
  }

  #subscriberClosed({ code, text }: CloseReason, amf3: boolean): void {
    this.#subscriber = undefined
    if (this.#closed) return
    const { connection } = this.#options
    // The data that wait for a slow player would only delay the close.
    if (code === 'slow') return connection.cut(text)
    connection.send({ kind: 'streamEof', streamId: this.id })
    this.#status('status', 'NetStream.Play.Stop', 'the stream has ended', amf3)
    connection.close(text)
  }

  /** The plugin of a source that fails to do a player's command has already logged the error. */
  #commandFailed(code: StatusCode, error: unknown, amf3: boolean): void {
    if (!(error instanceof SluiceError)) throw error
    if (!this.#closed) this.#status('error', code, error.message, amf3)
  }

  #refuse(command: Command, { streamPath }: StreamTarget, error: unknown, action: 'publish' | 'play'): void {
    const { ctx, connection, client } = this.#options
    if (this.#closed || connection.closed) return
    if (!(error instanceof SluiceError)) {
      connection.cut('failed')
      throw error
    }
    this.#told = true
    if (error instanceof StreamRedirect) connection.send(redirected(error.url, error.message, command.amf3), this.id)
    else this.#status('error', refusalCode(error, action), error.message, command.amf3)
    // A denial is logged where it was decided.
    if (!(error instanceof StreamDenied)) {
      const stream = error instanceof InvalidRequest ? undefined : streamPath
      const advice = this.#advice(error, streamPath)
      ctx.log.info({ stream, ip: client.ip, port: client.port, reason: error.message, advice }, `${action} refused`)
    }
    connection.close(error.message)
  }

  /** Advice for the peer's operator after a refusal. */
  #advice(error: SluiceError, streamPath: string): string | undefined {
    if (error instanceof StreamNotFound) {
      return `nobody publishes '${streamPath}': publish it, or compare the path with that of the publisher`
    }
    if (!(error instanceof StreamExists)) return undefined
    const holder = this.#options.ctx.streams.get(streamPath)
    const since = holder === undefined ? '' : ` by ${holder.pluginName} since ${holder.startTime.toISOString()}`
    return `the path is published${since}: publish under another one, or let the newer publisher win by publish.kickexist`
  }

  #status(level: 'status' | 'error', code: StatusCode, description: string, amf3: boolean): void {
    this.#options.connection.send(onStatus(level, code, description, amf3), this.id)
  }
}

function refusalCode(error: SluiceError, action: 'publish' | 'play'): StatusCode {
  if (action === 'play')
    return error instanceof StreamNotFound ? 'NetStream.Play.StreamNotFound' : 'NetStream.Play.Failed'
  return error instanceof StreamDenied ? 'NetStream.Publish.Denied' : 'NetStream.Publish.BadName'
}
