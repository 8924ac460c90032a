import type { Net, PortRange } from 'sluice/sdk'
import { tryParse } from 'sluice/sdk/media'
import { InterleavedTransport } from '../transport/interleaved-transport.ts'
import type { ChannelPair } from '../transport/channel-table.ts'
import type { PacketHandlers } from '../transport/media-transport.ts'
import { udpEnd, UdpTransport } from '../transport/udp-transport.ts'
import type { RtspHeaders } from '../wire/message/headers.ts'
import type { RtspResponse } from '../wire/message/message.ts'
import { parseSessionHeader, type SessionHeader } from '../wire/session-header.ts'
import { parseTransports, serializeTransports, type NumberPair, type Transport } from '../wire/transport.ts'
import { RtspClientError } from './client-error.ts'
import type { RequestOptions, RtspClient } from './rtsp-client.ts'
import type { TransportKind } from './target-url.ts'

/** The timeout of a session when the server names none (RFC 2326 12.37). */
const DEFAULT_TIMEOUT_SECONDS = 60
const MIN_KEEPALIVE_MS = 500
const MAX_KEEPALIVE_MS = 30_000
const MAX_SHOWN_LENGTH = 40

export type ClientSessionOptions = {
  readonly client: RtspClient
  /** The address of the session as a whole. */
  readonly url: string
  readonly kind: TransportKind
  readonly mode: 'play' | 'record'
  /** Opens the ports on which media comes in. */
  readonly net: Net
  readonly ports: PortRange
  /** Further header fields of SETUP. */
  readonly fields?: Readonly<Record<string, string>>
}

/** A session with a server: its medias are set up, then played or recorded, and kept alive. */
export class ClientSession {
  readonly kind: TransportKind
  readonly #options: ClientSessionOptions
  readonly #transports: (InterleavedTransport | UdpTransport)[] = []
  /** The id of the session; undefined before the first SETUP, and with servers that name none. */
  #id: string | undefined
  #isSetUp = false
  #timeoutSeconds = DEFAULT_TIMEOUT_SECONDS
  #keepAlive: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ClientSessionOptions) {
    this.#options = options
    this.kind = options.kind
    options.client.beforeClose(() => this.#leave())
    void options.client.closed.then(() => this.#release())
  }

  /**
   * Sets a media up.
   * @throws {RtspClientError} when the server refuses it
   * @throws {StreamUnavailable} when no ports are free
   */
  async setup(url: string, handlers: PacketHandlers): Promise<InterleavedTransport | UdpTransport> {
    return this.kind === 'udp' ? this.#setupUdp(url, handlers) : this.#setupTcp(url, handlers)
  }

  /**
   * Sends a request in the session, which is kept alive from the first PLAY or RECORD on.
   * @throws {RtspClientError} when the server refuses or does not answer
   */
  async request(
    method: string,
    headers: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<RtspResponse> {
    const { client, url } = this.#options
    const response = await client.request(method, url, { Session: this.#id, ...headers }, options)
    if (method === 'PLAY' || method === 'RECORD') this.#keepAliveNow()
    return response
  }

  /**
   * Asks the server for a sign of life of the session, as keepalives do.
   * @throws {RtspClientError} when the server does not answer, or has no such session
   */
  async ask(): Promise<void> {
    const { client, url } = this.#options
    await client.request(this.#question, url, { Session: this.#id }, { mayBeSilent: true })
  }

  /** Ends the session and the connection. Idempotent. */
  close(): void {
    this.#options.client.close()
  }

  async #setupTcp(url: string, handlers: PacketHandlers): Promise<InterleavedTransport> {
    const { connection, channels } = this.#options.client
    const first = this.#transports.length * 2
    const wanted = { lowerTransport: 'TCP', interleaved: { first, last: first + 1 } } as const
    const { interleaved = wanted.interleaved } = await this.#setup(url, wanted)
    const answered = channelPair(interleaved)
    // A server that names the same channels for all its medias sends on the channels it was asked for.
    const isTaken = channels.has(answered.rtp) || channels.has(answered.rtcp)
    const pair = isTaken ? channelPair(wanted.interleaved) : answered
    const transport = new InterleavedTransport(connection, channels, pair, handlers)
    this.#transports.push(transport)
    return transport
  }

  async #setupUdp(url: string, handlers: PacketHandlers): Promise<UdpTransport> {
    const { client, mode, net, ports } = this.#options
    const transport = await UdpTransport.open(net, ports, handlers)
    try {
      const { serverPort } = await this.#setup(url, { lowerTransport: 'UDP', clientPort: transport.ports })
      const end = udpEnd(client.remoteIp, serverPort)
      // A player learns the ports from the media that comes; a publisher has to know them.
      if (mode === 'record' && end.rtpPort === undefined) {
        throw new RtspClientError('the server names no ports to send to', { status: 461 })
      }
      client.dial.checkAddress(client.remoteIp)
      transport.end = end
    } catch (error) {
      transport.close()
      throw error
    }
    this.#transports.push(transport)
    return transport
  }

  async #setup(
    url: string,
    wanted: Pick<Transport, 'lowerTransport' | 'interleaved' | 'clientPort'>,
  ): Promise<Transport> {
    const { client, mode, fields: further } = this.#options
    const asked: Transport = { profile: 'RTP/AVP', delivery: 'unicast', mode, others: [], ...wanted }
    const fields = { ...further, Transport: serializeTransports([asked]), Session: this.#id }
    const { headers } = await client.request('SETUP', url, fields)
    const session = sessionOf(headers.get('session') ?? '')
    this.#isSetUp = true
    this.#id ??= session?.id
    this.#timeoutSeconds = session?.timeoutSeconds ?? this.#timeoutSeconds
    const [answer, ...others] = answeredTransports(headers)
    // A server that answers without a transport accepts the one that was offered.
    if (answer === undefined) return asked
    const taken = [answer, ...others].find(({ lowerTransport }) => lowerTransport === wanted.lowerTransport)
    if (taken !== undefined) return taken
    const given = `${answer.profile}/${answer.lowerTransport}`.slice(0, MAX_SHOWN_LENGTH)
    throw new RtspClientError(`the server gives ${given} where ${wanted.lowerTransport} was asked for`, { status: 461 })
  }

  get #question(): 'GET_PARAMETER' | 'OPTIONS' {
    return this.#options.client.methods.has('GET_PARAMETER') ? 'GET_PARAMETER' : 'OPTIONS'
  }

  #keepAliveNow(): void {
    clearInterval(this.#keepAlive)
    if (this.#isClosed) return
    const intervalMs = Math.min(Math.max(this.#timeoutSeconds * 500, MIN_KEEPALIVE_MS), MAX_KEEPALIVE_MS)
    this.#keepAlive = setInterval(() => this.#tell(this.#question), intervalMs)
  }

  /** Ends the session at the server, which would send on by UDP otherwise. */
  #leave(): void {
    if (this.#isSetUp) this.#tell('TEARDOWN')
  }

  /** Sends a request and ignores its answer. */
  #tell(method: string): void {
    const { client, url } = this.#options
    void client.request(method, url, { Session: this.#id }, { mayBeSilent: true }).catch(() => undefined)
  }

  #release(): void {
    this.#isClosed = true
    clearInterval(this.#keepAlive)
    for (const transport of this.#transports) transport.close()
  }
}

/** RTCP has the channel after RTP's when only one is named. */
function channelPair({ first, last }: NumberPair): ChannelPair {
  return { rtp: first, rtcp: last === first ? first + 1 : last }
}

/** The transports of an answer; empty when its header is missing or malformed. */
function answeredTransports(headers: RtspHeaders): readonly Transport[] {
  return tryParse(parseTransports, headers.getAll('transport').join(',')) ?? []
}

/** The session of an answer; undefined when it has none: not all servers need one. */
function sessionOf(text: string): SessionHeader | undefined {
  return tryParse(parseSessionHeader, text)
}
