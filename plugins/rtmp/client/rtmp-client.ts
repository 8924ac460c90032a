import { randomFillSync } from 'node:crypto'
import type { Socket } from 'node:net'
import { amfFields, newAmfObject, type AmfObject, type AmfValue } from 'sluice/sdk/media'
import { Connection } from '../connection.ts'
import { CAPS_EX_MULTITRACK } from '../replies.ts'
import { ClientHandshake } from '../wire/handshake/client-handshake.ts'
import type { Command } from '../wire/message/command.ts'
import type { Message } from '../wire/message/message.ts'
import type { RawMessage } from '../wire/message/raw-message.ts'
import { parseRtmpUrl, type RtmpUrl } from '../wire/url.ts'
import { RtmpClientError } from './client-error.ts'
import type { RtmpClientOptions } from './client-options.ts'
import { PendingCalls } from './pending-calls.ts'
import { statusOf, type Status } from './status.ts'

/** The chunk size that encoders commonly use. */
const CHUNK_SIZE_BYTES = 4096
/** The longest time for an answer before the connection is given up. */
const ANSWER_TIMEOUT_MS = 10_000
/** The default `flashVer` of `connect`; some servers look for the shape of it. */
const FLASH_VERSION = 'FMLE/3.0 (compatible; Sluice)'

/** The client's side of one RTMP connection: it publishes or plays one stream of a server, or sends any calls. */
export class RtmpClient {
  /** Resolves with the reason when the connection has ended, from either side. */
  readonly closed: Promise<string>
  /** The socket, for callers that count bytes, pause, or write bytes of their own between calls. */
  readonly socket: Socket
  readonly url: RtmpUrl
  readonly #options: RtmpClientOptions
  readonly #connection: Connection
  readonly #handshaken = Promise.withResolvers<void>()
  readonly #calls = new PendingCalls()
  #closeReason: string | undefined
  #resolveClosed: (reason: string) => void
  #status: { readonly waited: string; answer(status: Status): void } | undefined
  #transactionId = 0
  #serverFields: Readonly<Record<string, AmfValue>> = {}
  #streamId = 0

  /**
   * Begins the handshake.
   * @throws {MalformedError} when the URL is malformed
   */
  constructor(options: RtmpClientOptions) {
    this.#options = options
    this.url = parseRtmpUrl(options.url)
    const { promise, resolve } = Promise.withResolvers<string>()
    this.closed = promise
    this.#resolveClosed = resolve
    this.#handshaken.promise.catch(() => {})
    this.socket = options.socket
    const handshake = new ClientHandshake({ random: randomFillSync, signed: options.signedHandshake ?? true })
    const events = {
      message: (message: Message) => this.#message(message),
      media: (raw: RawMessage) => this.#options.onMedia?.(raw),
      alive: () => this.#options.onPing?.(),
      handshaken: () => this.#handshaken.resolve(),
      closed: (reason: string) => this.#ended(reason),
    }
    this.#connection = new Connection(this.socket, events, handshake)
    this.#connection.expectWithin(this.#answerTimeoutMs, 'handshake timeout')
    this.socket.write(handshake.start())
  }

  /** Resolves with a client that has a message stream of its own. */
  static async connect(options: RtmpClientOptions): Promise<RtmpClient> {
    const client = new RtmpClient(options)
    await client.connect()
    return client
  }

  /** The message stream that media goes out on; 0 before {@link RtmpClient.connect} is done. */
  get streamId(): number {
    return this.#streamId
  }

  /** Resolves when the handshake is over. */
  get handshaken(): Promise<void> {
    return this.#handshaken.promise
  }

  /** The properties of the server's answer to `connect`: `capsEx`, `fourCcList` and the like. */
  get serverFields(): Readonly<Record<string, AmfValue>> {
    return this.#serverFields
  }

  /**
   * Does the handshake, `connect` and `createStream`.
   * @throws {RtmpClientError} when the server refuses, does not answer, or closes the connection
   */
  async connect(): Promise<void> {
    await this.open()
    await this.createStream()
  }

  /**
   * Does the handshake and `connect`.
   * @throws {RtmpClientError} with the status that the server refused with
   */
  async open(): Promise<void> {
    await this.handshaken
    this.#connection.announceChunkSize(this.#options.chunkSizeBytes ?? CHUNK_SIZE_BYTES)
    const { commandObject, args } = agreed(await this.call('connect', this.#properties()))
    this.#serverFields = { ...amfFields(commandObject), ...amfFields(args[0]) }
  }

  /** @throws {RtmpClientError} when the server refuses, does not answer, or closes the connection */
  async createStream(): Promise<void> {
    const answer = agreed(await this.call('createStream', null))
    const [streamId] = answer.args
    if (typeof streamId !== 'number') throw new RtmpClientError('the server gave no message stream')
    this.#streamId = streamId
  }

  /**
   * Asks to publish, and resolves when the server has agreed.
   * @throws {RtmpClientError} with the status that the server refused with
   */
  publish(): Promise<void> {
    return this.#askWithin(this.#answerTimeoutMs, 'NetStream.Publish.Start', 'publish', this.url.name, 'live')
  }

  /**
   * Asks to play, and resolves when the server has agreed, which may take as long as it waits for a publisher.
   * @param timeoutMs the time after which to give up; default never
   * @throws {RtmpClientError} with the status that the server refused with
   */
  play(timeoutMs?: number): Promise<void> {
    this.#connection.expectMedia()
    if (timeoutMs === undefined) return this.#ask('NetStream.Play.Start', 'play', this.url.name)
    return this.#askWithin(timeoutMs, 'NetStream.Play.Start', 'play', this.url.name)
  }

  /**
   * Calls a command of the server's, and resolves with its answer, `_result` or `_error`.
   * @throws {RtmpClientError} when none comes in time
   */
  call(name: string, commandObject: AmfValue, ...args: readonly AmfValue[]): Promise<Command> {
    if (this.#closeReason !== undefined) return Promise.reject(endedBefore(name, this.#closeReason))
    const id = ++this.#transactionId
    const late = () => this.#connection.cut(`no answer to ${name} in time`)
    const answer = this.#calls.add(id, this.#answerTimeoutMs, late)
    this.#command(name, id, commandObject, args)
    return answer
  }

  /** Sends a command and ignores its answer, which depends on whether the server knows the command. */
  announce(name: string, ...args: readonly AmfValue[]): void {
    this.#command(name, ++this.#transactionId, null, args)
  }

  /** Sends a command that asks for no answer, on the client's message stream. */
  tell(name: string, ...args: readonly AmfValue[]): void {
    this.#command(name, 0, null, args)
  }

  /** Sends any message: a protocol control message, a ping, or a command built by the caller. */
  send(message: Message, messageStreamId = 0): void {
    this.#connection.send(message, messageStreamId)
  }

  /**
   * Sends a media or data message, the body of an FLV tag of the type `typeId`, and returns its size on the wire.
   * `socket.writableLength` is the number of bytes that wait.
   */
  sendMedia(typeId: number, timestampMs: number, parts: readonly Buffer[]): number {
    return this.#connection.sendMedia(typeId, this.#streamId, timestampMs, parts)
  }

  /** Counts bytes that the caller read from a socket of its own and did not hand on, so that they are acknowledged. */
  countReceived(sizeBytes: number): void {
    this.#connection.countReceived(sizeBytes)
  }

  /** Ends the connection without waiting for the data sent to leave. */
  close(reason = 'closed'): void {
    this.#connection.cut(reason)
  }

  /** Ends the connection when the data sent have left, or after two seconds. */
  closeSoon(reason: string): void {
    this.#connection.close(reason)
  }

  get #answerTimeoutMs(): number {
    return this.#options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  }

  #properties(): AmfObject {
    const { amf3 = false, multitrack = false, userAgent = FLASH_VERSION, properties } = this.#options
    const app = this.#withCredentials(this.url.app)
    const tcUrl = this.#withCredentials(this.url.tcUrl)
    const own = { app, type: 'nonprivate', flashVer: userAgent, tcUrl, objectEncoding: amf3 ? 3 : 0 }
    return Object.assign(newAmfObject(), own, multitrack ? { capsEx: CAPS_EX_MULTITRACK } : {}, properties)
  }

  #withCredentials(address: string): string {
    const { credentials } = this.#options
    return credentials === undefined ? address : `${address}${address.includes('?') ? '&' : '?'}${credentials}`
  }

  #command(name: string, transactionId: number, commandObject: AmfValue, args: readonly AmfValue[]): void {
    const { amf3 = false } = this.#options
    this.#connection.send({ kind: 'command', name, transactionId, commandObject, args, amf3 }, this.#streamId)
  }

  async #askWithin(timeoutMs: number, waited: string, name: string, ...args: readonly AmfValue[]): Promise<void> {
    const timer = setTimeout(() => this.#connection.cut(`no answer to ${name} in time`), timeoutMs)
    await this.#ask(waited, name, ...args).finally(() => clearTimeout(timer))
  }

  async #ask(waited: string, name: string, ...args: readonly AmfValue[]): Promise<void> {
    if (this.#closeReason !== undefined) throw endedBefore(name, this.#closeReason)
    const { promise, resolve } = Promise.withResolvers<Status>()
    this.#status = { waited, answer: resolve }
    this.tell(name, ...args)
    const status = await Promise.race([promise, this.closed])
    if (typeof status === 'string') throw endedBefore(name, status)
    if (status.code !== waited) throw new RtmpClientError(`the server answered to ${name}: ${status.code}`, { status })
  }

  #message(message: Message): Promise<void> | undefined {
    switch (message.kind) {
      case 'command':
        return this.#takeCommand(message)
      case 'streamIsRecorded':
      case 'streamEof':
        this.#options.onStreamEvent?.(message.kind)
        return undefined
      default:
        return undefined
    }
  }

  #takeCommand(command: Command): Promise<void> | undefined {
    this.#calls.take(command)
    this.#options.onCommand?.(command)
    const status = command.name === 'onStatus' ? statusOf(command.args[0]) : undefined
    return status && this.#takeStatus(status)
  }

  #takeStatus(status: Status): Promise<void> | undefined {
    if (status.isError && this.#status === undefined) this.#calls.fail(refused(status))
    if (status.isError || status.code === this.#status?.waited) {
      this.#status?.answer(status)
      this.#status = undefined
    }
    return this.#options.onStatus?.(status)
  }

  #ended(reason: string): void {
    this.#closeReason = reason
    this.#handshaken.reject(endedBefore('the handshake', reason))
    this.#calls.fail(endedBefore('a call', reason))
    this.#resolveClosed(reason)
  }
}

function agreed(answer: Command): Command {
  if (answer.name === '_result') return answer
  const status = statusOf(answer.args[0])
  throw status === undefined ? new RtmpClientError('the server refused without a reason') : refused(status)
}

function refused(status: Status): RtmpClientError {
  return new RtmpClientError(`the server refused: ${status.code}`, { status })
}

function endedBefore(what: string, reason: string): RtmpClientError {
  return new RtmpClientError(`the connection ended before ${what} was answered: ${reason}`)
}
