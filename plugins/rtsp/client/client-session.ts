import type { Net, PortRange } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { InterleavedTransport } from '../transport/interleaved-transport.ts'
import type { PacketHandlers } from '../transport/media-transport.ts'
import { rtcpPortOf, UdpTransport } from '../transport/udp-transport.ts'
import type { RtspResponse } from '../wire/message/message.ts'
import { parseSessionHeader, type SessionHeader } from '../wire/session-header.ts'
import { parseTransports, serializeTransports, type Transport } from '../wire/transport.ts'
import { RtspClientError } from './client-error.ts'
import type { RequestOptions, RtspClient } from './rtsp-client.ts'
import type { TransportKind } from './target-url.ts'

/** What a server takes a session for dead after, unless it says so (RFC 2326 12.37). */
const DEFAULT_TIMEOUT_SECONDS = 60
const MIN_KEEPALIVE_MS = 500
const MAX_KEEPALIVE_MS = 30_000

export type ClientSessionOptions = {
  readonly client: RtspClient
  /** The address of the session as a whole. */
  readonly url: string
  readonly kind: TransportKind
  readonly mode: 'play' | 'record'
  /** Whose ports media comes in by. */
  readonly net: Net
  readonly ports: PortRange
  /** Further header fields of SETUP. */
  readonly fields?: Readonly<Record<string, string>>
}

/** What a client has with a server: medias that are set up, then played or recorded, and kept alive. */
export class ClientSession {
  readonly kind: TransportKind
  readonly #options: ClientSessionOptions
  readonly #transports: (InterleavedTransport | UdpTransport)[] = []
  #id: string | undefined
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
   * Asks for something in the session, which is kept alive from the first PLAY or RECORD on.
   * @throws {RtspClientError}
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
   * Asks the server whether the session is there, as keepalives do.
   * @throws {RtspClientError} when nothing is answered, or that it is not
   */
  async ask(): Promise<void> {
    const { client, url } = this.#options
    await client.request(this.#question, url, { Session: this.#id }, { mayBeSilent: true })
  }

  /** Ends it, and the connection. Idempotent. */
  close(): void {
    this.#options.client.close()
  }

  async #setupTcp(url: string, handlers: PacketHandlers): Promise<InterleavedTransport> {
    const { client } = this.#options
    const first = this.#transports.length * 2
    const wanted = { lowerTransport: 'TCP', interleaved: { first, last: first + 1 } } as const
    const { interleaved } = await this.#setup(url, wanted)
    const transport = new InterleavedTransport(
      client.connection,
      client.channels,
      interleaved?.first ?? first,
      handlers,
    )
    this.#transports.push(transport)
    return transport
  }

  async #setupUdp(url: string, handlers: PacketHandlers): Promise<UdpTransport> {
    const { client, net, ports } = this.#options
    const transport = await UdpTransport.open(net, ports, handlers)
    try {
      const { serverPort } = await this.#setup(url, { lowerTransport: 'UDP', clientPort: transport.ports })
      if (serverPort === undefined) throw new RtspClientError('the server names no ports', { status: 461 })
      client.dial.checkAddress(client.remoteIp)
      transport.end = { ip: client.remoteIp, rtpPort: serverPort.first, rtcpPort: rtcpPortOf(serverPort) }
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
    const session = sessionOf(headers.get('session'))
    this.#id ??= session.id
    this.#timeoutSeconds = session.timeoutSeconds ?? this.#timeoutSeconds
    const answer = answeredTransport(headers.get('transport') ?? '')
    if (answer?.lowerTransport === wanted.lowerTransport) return answer
    throw new RtspClientError(`the server gives another transport than ${wanted.lowerTransport}`, { status: 461 })
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

  /** Tells the server that it is over, which would send on by UDP otherwise. */
  #leave(): void {
    if (this.#id !== undefined) this.#tell('TEARDOWN')
  }

  /** What is answered makes no difference. */
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

function answeredTransport(text: string): Transport | undefined {
  try {
    return parseTransports(text)[0]
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}

/** @throws {RtspClientError} when the server names none */
function sessionOf(text = ''): SessionHeader {
  try {
    return parseSessionHeader(text)
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    throw new RtspClientError(`the server names no session: ${error.message}`, { cause: error })
  }
}
