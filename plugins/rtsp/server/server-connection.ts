import { setImmediate as turn } from 'node:timers/promises'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { CLIENT_LEFT, type CloseReason, type SessionClient } from 'sluice/sdk'
import { PEER_LEFT, RtspConnection } from '../connection.ts'
import { ChannelTable } from '../transport/channel-table.ts'
import { InterleavedTransport } from '../transport/interleaved-transport.ts'
import type { PacketHandlers } from '../transport/media-transport.ts'
import { udpEnd, UdpTransport } from '../transport/udp-transport.ts'
import { RtspHeaders } from '../wire/message/headers.ts'
import type { RtspRequest, RtspResponse } from '../wire/message/message.ts'
import { serializeResponse } from '../wire/message/serialize.ts'
import type { Transport } from '../wire/transport.ts'
import { RtspRefusal } from './refusal.ts'
import { RequestHandler, type Answer } from './request-handler.ts'
import type { Accepted, Endpoint, RtspServerContext, SessionConnection } from './server-context.ts'
import type { RtspSession } from './session.ts'
import type { HttpConnection } from './tunnels.ts'

/** A client must ask for something this soon, and again while nothing runs. */
const IDLE_TIMEOUT_MS = 30_000
const NO_REQUEST = 'no request came in time'
/** Most requests that are read before those before them are answered. */
const MAX_PENDING_REQUESTS = 16
const MAX_USER_AGENT_LENGTH = 256

/** Takes a connection over that has begun with a request of HTTP. */
type TakeHttp = (request: RtspRequest, connection: HttpConnection) => void

/** One client's connection: requests that are answered one after the other, and media of its sessions between them. */
export class ServerConnection implements SessionConnection {
  readonly stream: Duplex
  readonly leaving = new AbortController()
  readonly #server: RtspServerContext
  readonly #connection: RtspConnection
  readonly #channels = new ChannelTable()
  readonly #handler: RequestHandler
  readonly #local: Endpoint
  readonly #takeHttp: TakeHttp
  #client: SessionClient
  readonly #pending: RtspRequest[] = []
  #isBusy = false
  /** Sessions that were begun here. */
  readonly #sessions = new Set<RtspSession>()
  /** The ids of sessions that this server has ended, which the client may still name. */
  readonly #endedIds = new Set<string>()
  /** True when a session has logged how the connection's use ended. */
  #isTold = false

  constructor(server: RtspServerContext, { stream, client, local }: Accepted, takeHttp: TakeHttp) {
    this.#takeHttp = takeHttp
    this.#server = server
    this.#local = local
    this.stream = stream
    this.#client = client
    this.#handler = new RequestHandler(server, this)
    this.#connection = new RtspConnection(stream, {
      message: (message) => this.#take(message),
      frame: (frame) => this.#channels.take(frame),
      isChannel: (channel) => this.#channels.mayCarry(channel),
      closed: (reason) => this.#closed(reason),
    })
    this.#connection.expectWithin(IDLE_TIMEOUT_MS, NO_REQUEST)
  }

  get client(): SessionClient {
    return this.#client
  }

  get local(): Endpoint {
    return this.#local
  }

  get localIp(): string {
    return this.#local.ip
  }

  get serverUrl(): string {
    const { ip, port } = this.#local
    return `rtsp://${ip.includes(':') ? `[${ip}]` : ip}:${port}`
  }

  get strayBytes(): number {
    return this.#connection.reader.strayBytes
  }

  get closed(): boolean {
    return this.#connection.closed
  }

  add(session: RtspSession): void {
    this.#sessions.add(session)
  }

  async openTransport(
    wanted: Transport,
    handlers: PacketHandlers,
  ): Promise<InterleavedTransport | UdpTransport | undefined> {
    if (wanted.profile !== 'RTP/AVP' || wanted.delivery === 'multicast') return undefined
    return wanted.lowerTransport === 'TCP' ? this.#openInterleaved(wanted, handlers) : this.#openUdp(wanted, handlers)
  }

  sessionEnded(session: RtspSession, reason: CloseReason): void {
    this.#isTold ||= session.isStarted
    if (!this.#sessions.delete(session) || reason.code === 'left') return
    this.#endedIds.add(session.id)
    // The data that wait for a slow player would only delay the close.
    if (reason.code === 'slow') this.#connection.cut(reason.text)
    // Over UDP, the client gets a goodbye: it plays the media it has, and ends its session by itself.
    else if (session.outlivesConnection) this.#connection.expectWithin(IDLE_TIMEOUT_MS, reason.text)
    else this.#connection.close(reason.text)
  }

  hadSession(id: string): boolean {
    return this.#endedIds.has(id)
  }

  /** Hands the byte stream over with the bytes that were read and not used. */
  release(): { readonly stream: Duplex; readonly rest: Buffer } {
    return this.#connection.release()
  }

  refuse(answer: Buffer, reason: string): void {
    this.#connection.send(answer)
    this.#connection.close(reason)
  }

  close(reason: string): void {
    this.#connection.close(reason)
  }

  #openInterleaved({ interleaved }: Transport, handlers: PacketHandlers): InterleavedTransport | undefined {
    const channel = this.#channels.free(interleaved?.first)
    if (channel === undefined) return undefined
    const pair = { rtp: channel, rtcp: channel + 1 }
    return new InterleavedTransport(this.#connection, this.#channels, pair, handlers)
  }

  async #openUdp({ clientPort }: Transport, handlers: PacketHandlers): Promise<UdpTransport | undefined> {
    // A client that uses TLS does not want media in the open, and nothing but TCP passes a tunnel.
    const isPlain = this.stream instanceof Socket && !(this.stream instanceof TLSSocket)
    if (clientPort === undefined || !isPlain) return undefined
    const { net, config } = this.#server.ctx
    const transport = await UdpTransport.open(net, config.udpport, handlers)
    transport.end = udpEnd(this.#client.ip, clientPort)
    return transport
  }

  #take(message: RtspRequest | RtspResponse): void {
    // A server asks nothing.
    if (message.kind === 'response') return
    if (message.protocol === 'HTTP') return this.#takeHttp(message, this)
    this.#pending.push(message)
    if (this.#pending.length >= MAX_PENDING_REQUESTS) this.#connection.pause()
    if (!this.#isBusy) void this.#answerAll()
  }

  async #answerAll(): Promise<void> {
    this.#isBusy = true
    this.#connection.expectNothing()
    for (let request = this.#pending.shift(); request !== undefined; request = this.#pending.shift()) {
      await this.#answer(request)
      // Many requests must not follow each other in one turn.
      if (this.#pending.length > 0) await turn()
      if (this.#pending.length < MAX_PENDING_REQUESTS) this.#connection.resume()
    }
    this.#isBusy = false
    const isUsed = [...this.#sessions].some((session) => session.isStarted)
    if (!isUsed && !this.closed) this.#connection.expectWithin(IDLE_TIMEOUT_MS, NO_REQUEST)
  }

  async #answer(request: RtspRequest): Promise<void> {
    const userAgent = request.headers.get('user-agent')?.slice(0, MAX_USER_AGENT_LENGTH)
    if (userAgent !== undefined) this.#client = { ...this.#client, userAgent }
    try {
      const answer = await this.#handler.handle(request)
      this.#send(request, answer)
      answer.afterwards?.()
    } catch (error) {
      const refusal = RtspRefusal.of(error)
      if (refusal === undefined) this.#server.ctx.log.error({ err: error, method: request.method }, 'a request failed')
      const { status, message, headers } = refusal ?? new RtspRefusal(500, 'Internal Server Error')
      this.#send(request, { status, reason: message, headers })
    }
  }

  #send({ cseq }: RtspRequest, { status = 200, reason, headers = [], body }: Answer): void {
    const fields = new RtspHeaders([['Server', 'Sluice'], ...headers])
    const content = body === undefined ? {} : { body: Buffer.from(body) }
    this.#connection.send(serializeResponse({ status, ...(reason && { reason }), cseq, headers: fields, ...content }))
  }

  #closed(reason: string): void {
    this.leaving.abort()
    const { ip, port } = this.#client
    const hadSession = this.#sessions.size > 0
    const closeReason = reason === PEER_LEFT ? CLIENT_LEFT : reason
    for (const session of this.#sessions.values().toArray()) if (!session.outlivesConnection) session.close(closeReason)
    if (!this.#isTold && !hadSession) this.#server.ctx.log.info({ ip, port, reason }, 'connection closed')
  }
}
