import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { keep } from '../../peers/lifetime.ts'
import { waitFor } from '../../peers/wait-for.ts'
import { RtspMessageReader, serializeFrame, type InterleavedFrame, type RtspMessage } from './message-reader.ts'

/** An answer of a server. */
export type RtspAnswer = RtspMessage & { readonly status: number }

export type RtspProbeInit = {
  readonly port: number
  /** Defaults to `127.0.0.1`. */
  readonly host?: string
  /** Speaks TLS, and asks for no certificate. */
  readonly tls?: boolean
  /** Takes the packets that come, which are not kept then. */
  readonly onFrame?: (frame: InterleavedFrame) => void
}

/** What a request has besides method and address. */
export type RtspRequestInit = {
  /** Added to `CSeq`, to `Session` once the server has given one, and to `Content-Length` where there is a body. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A connection that sends whatever a test wants, and keeps all that comes. It ends with the test, at the latest. */
export class RtspProbe {
  /** The packets that came in the connection. */
  readonly frames: InterleavedFrame[] = []
  /** The messages that came, requests of the server's included. */
  readonly messages: RtspMessage[] = []
  /** Resolves when the connection has ended, however. */
  readonly closed: Promise<void>
  /** Of the last answer that had one, without its parameters. */
  session: string | undefined
  readonly socket: Socket
  readonly #onFrame: (frame: InterleavedFrame) => void
  readonly #reader = new RtspMessageReader()
  #isClosed = false
  #answersRead = 0
  #cseq = 0

  private constructor(socket: Socket, onFrame?: (frame: InterleavedFrame) => void) {
    this.socket = socket
    this.#onFrame = onFrame ?? ((frame) => void this.frames.push(frame))
    const closed = Promise.withResolvers<void>()
    this.closed = closed.promise
    const letGo = keep(this)
    // A connection that is reset ends all the same.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#isClosed = true
      letGo()
      closed.resolve()
    })
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
  }

  /** @throws {Error} when there is nobody */
  static async connect({ port, host = '127.0.0.1', tls = false, onFrame }: RtspProbeInit): Promise<RtspProbe> {
    let isOpen = false
    const open = () => (isOpen = true)
    const socket = tls ? connectTls({ port, host, rejectUnauthorized: false }, open) : connectTcp({ port, host }, open)
    let error: Error | undefined
    socket.once('error', (cause) => (error = cause))
    const probe = new RtspProbe(socket, onFrame)
    await waitFor(() => isOpen || error, { what: 'a connection' })
    if (error !== undefined) throw error
    return probe
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** What came after the last whole message or packet. */
  get rest(): Buffer {
    return this.#reader.rest
  }

  /** Sends anything. */
  write(data: string | Buffer): void {
    this.socket.write(data)
  }

  /** Sends a packet in the connection. */
  writeFrame(channel: number, data: Buffer): void {
    this.write(serializeFrame({ channel, data }))
  }

  /** Sends a request, and resolves with its answer. */
  async request(method: string, url: string, { headers = {}, body = '' }: RtspRequestInit = {}): Promise<RtspAnswer> {
    const all = {
      CSeq: String(++this.#cseq),
      ...(this.session === undefined ? {} : { Session: this.session }),
      ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    this.write(`${method} ${url} RTSP/1.0\r\n${lines.join('')}\r\n${body}`)
    return this.answer(`an answer to ${method}`)
  }

  /**
   * Resolves with the next answer that was not read yet.
   * @throws {Error} when the connection ends without it
   */
  async answer(what = 'an answer'): Promise<RtspAnswer> {
    const wanted = this.#answersRead++
    const find = () => this.messages.filter(({ startLine }) => isAnswer(startLine))[wanted]
    const message = await waitFor(() => find() ?? this.#isClosed, { what })
    if (message === true) throw new Error(`the connection ended without ${what}`)
    return { ...message, status: Number(message.startLine.split(' ')[1]) }
  }

  close(): void {
    this.socket.destroy()
  }

  #receive(bytes: Buffer): void {
    for (const part of this.#reader.push(bytes)) {
      if ('channel' in part) {
        this.#onFrame(part)
        continue
      }
      this.messages.push(part)
      const session = part.headers.get('session')
      if (session !== undefined) this.session = session.split(';')[0]
    }
  }
}

function isAnswer(startLine: string): boolean {
  return /^(?:RTSP|HTTP)\/\d/u.test(startLine)
}
