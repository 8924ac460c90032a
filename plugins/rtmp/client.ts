import { randomFillSync } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isAmfObject, newAmfObject, type AmfObject, type AmfValue } from 'sluice/sdk/media'
import { Connection } from './connection.ts'
import { CAPS_EX_MULTITRACK } from './replies.ts'
import { ClientHandshake } from './wire/handshake/client-handshake.ts'
import type { Command } from './wire/message/command.ts'
import type { Message } from './wire/message/message.ts'
import type { RawMessage } from './wire/message/raw-message.ts'
import { parseRtmpUrl, type RtmpUrl } from './wire/url.ts'

/** What encoders commonly use. */
const CHUNK_SIZE_BYTES = 4096
/** A server answers within this, or the connection is given up. */
const ANSWER_TIMEOUT_MS = 10_000
/** Most answers that are waited for at a time. */
const MAX_PENDING_CALLS = 16
/** What the client calls itself unless told otherwise; some servers look for the shape of this. */
const FLASH_VERSION = 'FMLE/3.0 (compatible; Sluice)'

export type RtmpClientOptions = {
  /** `rtmp[s]://host[:port]/app/name?query`. */
  readonly url: string
  /** The connection, where the caller makes it; TCP or TLS to the address of the URL unless given. */
  readonly socket?: Socket
  /** Verifies the server's certificate (TLS). Default true. */
  readonly verifyCertificate?: boolean
  /** Signs the handshake as Flash players do, which some servers insist on. Default true. */
  readonly signedHandshake?: boolean
  /** Sends commands in messages of AMF3's type. Default false. */
  readonly amf3?: boolean
  /** Says that several tracks of a kind are understood (enhanced RTMP v2). Default false. */
  readonly multitrack?: boolean
  /** Size of the chunks it sends. Default 4096. */
  readonly chunkSizeBytes?: number
  /** `flashVer` of `connect`. */
  readonly userAgent?: string
  /** How long each answer may take, in milliseconds. Default 10 s. */
  readonly answerTimeoutMs?: number
  /** Takes each media and data message; its payload belongs to the callee. */
  readonly onMedia?: (raw: RawMessage) => void
  /** Takes each command of the server's that is no answer to a call, `onStatus` for example. */
  readonly onCommand?: (command: Command) => void
}

type PendingCall = {
  readonly name: string
  readonly timer: NodeJS.Timeout
  readonly answer: (command: Command) => void
  readonly fail: (error: Error) => void
}

/** A server that did not agree, did not answer, or closed the connection; the message holds no part of the URL's query. */
export class RtmpClientError extends Error {
  override readonly name = 'RtmpClientError'
}

/** The client's side of one RTMP connection: it publishes or plays one stream of a server, or calls what it likes. */
export class RtmpClient {
  /** Resolves with the reason when the connection has ended, whoever ended it. */
  readonly closed: Promise<string>
  /** For those who count, pause or misbehave: bytes may be written between calls. */
  readonly socket: Socket
  readonly url: RtmpUrl
  readonly #options: RtmpClientOptions
  readonly #connection: Connection
  readonly #handshaken = Promise.withResolvers<void>()
  readonly #calls = new Map<number, PendingCall>()
  #closeReason: string | undefined
  #resolveClosed: (reason: string) => void
  #status: { readonly waited: string; answer(code: string): void } | undefined
  #transactionId = 0
  #streamId = 0

  /**
   * Begins to connect.
   * @throws {MalformedError} when the URL is none
   */
  constructor(options: RtmpClientOptions) {
    this.#options = options
    this.url = parseRtmpUrl(options.url)
    const { promise, resolve } = Promise.withResolvers<string>()
    this.closed = promise
    this.#resolveClosed = resolve
    this.#handshaken.promise.catch(() => {})
    this.socket = options.socket ?? open(this.url, options.verifyCertificate ?? true)
    const handshake = new ClientHandshake({ random: randomFillSync, signed: options.signedHandshake ?? true })
    const events = {
      message: (message: Message) => this.#message(message),
      media: (raw: RawMessage) => this.#options.onMedia?.(raw),
      handshaken: () => this.#handshaken.resolve(),
      closed: (reason: string) => this.#ended(reason),
    }
    this.#connection = new Connection(this.socket, events, handshake)
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

  /**
   * Leads the connection to a message stream: handshake, `connect`, `createStream`.
   * @throws {RtmpClientError}
   */
  async connect(): Promise<void> {
    await this.handshaken
    this.#connection.announceChunkSize(this.#options.chunkSizeBytes ?? CHUNK_SIZE_BYTES)
    agreed(await this.call('connect', this.#properties()))
    const answer = agreed(await this.call('createStream', null))
    const [streamId] = answer.args
    if (typeof streamId !== 'number') throw new RtmpClientError('the server gave no message stream')
    this.#streamId = streamId
  }

  /**
   * Asks to publish, and resolves when the server has agreed.
   * @throws {RtmpClientError} with the status that the server refused by
   */
  async publish(): Promise<void> {
    const timer = setTimeout(() => this.#connection.cut('no answer to publish in time'), this.#answerTimeoutMs)
    await this.#ask('NetStream.Publish.Start', 'publish', this.url.name, 'live').finally(() => clearTimeout(timer))
  }

  /**
   * Asks to play, and resolves when the server has agreed, which may take as long as it waits for a publisher.
   * @throws {RtmpClientError} with the status that the server refused by
   */
  play(): Promise<void> {
    this.#connection.expectMedia()
    return this.#ask('NetStream.Play.Start', 'play', this.url.name)
  }

  /**
   * Calls a command of the server's, and resolves with its answer, `_result` or `_error`.
   * @throws {RtmpClientError} when none comes in time
   */
  call(name: string, commandObject: AmfValue, ...args: readonly AmfValue[]): Promise<Command> {
    if (this.#closeReason !== undefined) return Promise.reject(endedBefore(name, this.#closeReason))
    if (this.#calls.size === MAX_PENDING_CALLS) return Promise.reject(new RtmpClientError('too many calls at once'))
    const id = ++this.#transactionId
    const { promise, resolve, reject } = Promise.withResolvers<Command>()
    const timer = setTimeout(() => this.#connection.cut(`no answer to ${name} in time`), this.#answerTimeoutMs)
    this.#calls.set(id, { name, timer, answer: resolve, fail: reject })
    this.#command(name, id, commandObject, args)
    return promise
  }

  /** Sends a command that asks for no answer, on the client's message stream. */
  tell(name: string, ...args: readonly AmfValue[]): void {
    this.#command(name, 0, null, args)
  }

  /** Sends a message of the protocol's own, such as a ping, or a command whatever it says. */
  send(message: Message, messageStreamId = 0): void {
    this.#connection.send(message, messageStreamId)
  }

  /**
   * Sends a media or data message, the body of an FLV tag of the type `typeId`, and gives its size on the wire.
   * `socket.writableLength` tells how much waits.
   */
  sendMedia(typeId: number, timestampMs: number, parts: readonly Buffer[]): number {
    return this.#connection.sendMedia(typeId, this.#streamId, timestampMs, parts)
  }

  /** Counts bytes that the caller read from a socket of its own and did not hand on, so that they are acknowledged. */
  countReceived(sizeBytes: number): void {
    this.#connection.countReceived(sizeBytes)
  }

  /** Ends the connection without waiting for what was sent. */
  close(reason = 'closed'): void {
    this.#connection.cut(reason)
  }

  get #answerTimeoutMs(): number {
    return this.#options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  }

  #properties(): AmfObject {
    const { amf3 = false, multitrack = false, userAgent = FLASH_VERSION } = this.#options
    const { app, tcUrl } = this.url
    const properties = { app, type: 'nonprivate', flashVer: userAgent, tcUrl, objectEncoding: amf3 ? 3 : 0 }
    return Object.assign(newAmfObject(), properties, multitrack ? { capsEx: CAPS_EX_MULTITRACK } : {})
  }

  #command(name: string, transactionId: number, commandObject: AmfValue, args: readonly AmfValue[]): void {
    const { amf3 = false } = this.#options
    this.#connection.send({ kind: 'command', name, transactionId, commandObject, args, amf3 }, this.#streamId)
  }

  async #ask(waited: string, name: string, ...args: readonly AmfValue[]): Promise<void> {
    if (this.#closeReason !== undefined) throw endedBefore(name, this.#closeReason)
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#status = { waited, answer: resolve }
    this.tell(name, ...args)
    const code = await Promise.race([promise, this.closed])
    if (code !== waited) throw new RtmpClientError(`the server answered to ${name}: ${code}`)
  }

  #message(message: Message): undefined {
    if (message.kind !== 'command') return
    const call = message.name.startsWith('_') ? this.#calls.get(message.transactionId) : undefined
    if (call !== undefined) {
      this.#calls.delete(message.transactionId)
      clearTimeout(call.timer)
      call.answer(message)
    }
    if (message.name === 'onStatus') this.#takeStatus(message.args[0])
    this.#options.onCommand?.(message)
  }

  #takeStatus(information: AmfValue | undefined): void {
    if (information === undefined || !isAmfObject(information)) return
    const { code, level } = information
    if (typeof code !== 'string' || (level !== 'error' && code !== this.#status?.waited)) return
    this.#status?.answer(code)
    this.#status = undefined
  }

  #ended(reason: string): void {
    this.#closeReason = reason
    this.#handshaken.reject(endedBefore('the handshake', reason))
    for (const { name, timer, fail } of this.#calls.values()) {
      clearTimeout(timer)
      fail(endedBefore(name, reason))
    }
    this.#calls.clear()
    this.#resolveClosed(reason)
  }
}

function open({ tls, host, port }: RtmpUrl, verifyCertificate: boolean): Socket {
  const socket = tls ? connectTls({ host, port, rejectUnauthorized: verifyCertificate }) : connectTcp({ host, port })
  return socket.setNoDelay(true)
}

function agreed(answer: Command): Command {
  if (answer.name === '_result') return answer
  const [information] = answer.args
  const code = information !== undefined && isAmfObject(information) ? information['code'] : undefined
  throw new RtmpClientError(`the server refused: ${typeof code === 'string' ? code : 'without a reason'}`)
}

function endedBefore(what: string, reason: string): RtmpClientError {
  return new RtmpClientError(`the connection ended before ${what} was answered: ${reason}`)
}
