import type { Socket } from 'node:net'
import {
  LogLimit,
  sessionClient,
  type Counter,
  type MetricFamily,
  type TcpListener,
  type UdpListener,
  type UdpPeer,
} from 'sluice/sdk'
import { MalformedError, tryParse } from 'sluice/sdk/media'
import type { GbContext } from '../plugin-context.ts'
import type { SipEndpoint } from '../sip/flow.ts'
import { parseSipDatagram, type SipMessage } from '../sip/message.ts'
import { BoardFlow } from './board-flow.ts'
import { sipListenAddresses } from './listen-addresses.ts'
import { LocalAddresses } from './local-addresses.ts'
import { receivedRequest } from './received-request.ts'
import { SipConnection } from './sip-connection.ts'
import { flowName, type FlowEnds, type Switchboard } from './switchboard.ts'

/** The most connections at a time. */
const MAX_CONNECTIONS = 20_000
/** The longest wait for a connection that is made for a large message. */
const DIAL_TIMEOUT_MS = 2000
/** The least time between two lines about broken messages. */
const LOG_INTERVAL_MS = 10_000
/** The system's buffers for datagrams, in bytes. */
const UDP_BUFFERS = { readbuffer: 4 * 1024 * 1024, writebuffer: 4 * 1024 * 1024 }

type SipTransportInit = {
  readonly ctx: GbContext
  readonly board: Switchboard
  /** Takes messages that came; requests have where they came from in their Via. */
  readonly onMessage: (message: SipMessage, flow: BoardFlow) => void
  /** A connection has ended. */
  readonly onGone: (ends: FlowEnds) => void
}

type Connected = { readonly connection: SipConnection; readonly listener: TcpListener | undefined }

/** The sockets of SIP: UDP and TCP on one port, and TLS. Connections go on in the next generation of the plugin. */
export class SipTransport {
  readonly #init: SipTransportInit
  readonly #addresses: LocalAddresses
  readonly #datagrams: UdpListener[] = []
  readonly #connections = new Map<string, Connected>()
  readonly #limit = new LogLimit(LOG_INTERVAL_MS)
  #tcpPort: number | undefined
  #broken: Counter | undefined
  #messages: MetricFamily<Counter, 'transport'> | undefined

  constructor(init: SipTransportInit) {
    this.#init = init
    this.#addresses = new LocalAddresses(init.ctx.net)
  }

  /** Counts messages from now on: those that can't be read, and all that come. */
  countBy(broken: Counter, messages: MetricFamily<Counter, 'transport'>): void {
    this.#broken = broken
    this.#messages = messages
  }

  /** The number of connections. */
  get connections(): number {
    return this.#connections.size
  }

  /** The port of SIP, by UDP where there is one; undefined without any. */
  get port(): number | undefined {
    return this.#datagrams[0]?.address.port ?? this.#tcpPort
  }

  /** @throws {Error} as `net.tcp` and `net.udp` when an address can't be had */
  async listen(): Promise<void> {
    const { sip } = this.#init.ctx.config
    for (const { isTcp, address } of sipListenAddresses(sip.listenaddr)) {
      if (isTcp) await this.#listenTcp(address, '')
      else await this.#listenUdp(address)
    }
    for (const address of sip.listenaddrtls) await this.#listenTcp('', address)
  }

  /** Sends over the sockets of this generation; false where there is no such connection. */
  send(ends: FlowEnds, message: Buffer): boolean {
    if (ends.transport !== 'UDP') return this.#connections.get(flowName(ends))?.connection.send(message) ?? false
    const listener = this.#datagrams.find(({ address }) => address.port === ends.local.port) ?? this.#datagrams[0]
    listener?.send([message], { remoteAddress: ends.remote.host, remotePort: ends.remote.port })
    return listener !== undefined
  }

  /** True when messages can be sent this way: by UDP always, else while there is the connection. */
  has(ends: FlowEnds): boolean {
    return ends.transport === 'UDP' ? this.#datagrams.length > 0 : this.#connections.has(flowName(ends))
  }

  /** Opens a connection to a peer by UDP, for a message that is too large for that (RFC 3261 18.1.1); undefined when it takes none. */
  async dial({ remote }: FlowEnds): Promise<FlowEnds | undefined> {
    const { host, port } = remote
    const signal = AbortSignal.timeout(DIAL_TIMEOUT_MS)
    try {
      const socket = await this.#init.ctx.net.dialer('', { isAnywhere: true }).connect({ host, port, signal })
      return this.#connect(socket, 'TCP', undefined)
    } catch {
      return undefined
    }
  }

  /** Closes the connections of a device that is gone. */
  drop(ends: FlowEnds): void {
    this.#connections.get(flowName(ends))?.connection.close()
  }

  /** Gives the connections to the next generation. */
  handOver(): void {
    for (const { connection, listener } of this.#connections.values()) {
      const socket = connection.release()
      if (listener?.handOver(socket, {}) !== true) socket.on('error', () => {}).destroy()
    }
    this.#connections.clear()
  }

  async #listenUdp(listenaddr: string): Promise<void> {
    const { net } = this.#init.ctx
    const listener = await net.udp({ listenaddr, ...UDP_BUFFERS }, (bytes, peer) => this.#datagram(bytes, peer, port))
    if (listener === undefined) return
    const { port } = listener.address
    this.#datagrams.push(listener)
  }

  async #listenTcp(listenaddr: string, listenaddrtls: string): Promise<void> {
    const { ctx } = this.#init
    const { certfile, keyfile } = ctx.config.sip
    const config = { listenaddr, listenaddrtls, certfile, keyfile, nodelay: true, keepalive: true }
    const transport = listenaddrtls === '' ? 'TCP' : 'TLS'
    const listener = await ctx.net.tcp(config, (socket) => void this.#connect(socket, transport, () => listener))
    this.#tcpPort ??= listener.addresses[0]?.port
  }

  #connect(socket: Socket, transport: 'TCP' | 'TLS', listener: (() => TcpListener) | undefined): FlowEnds | undefined {
    const { localAddress, localPort } = socket
    const { ip, port } = sessionClient(socket)
    if (
      this.#connections.size >= MAX_CONNECTIONS ||
      localAddress === undefined ||
      localPort === undefined ||
      ip === ''
    ) {
      socket.on('error', () => {}).destroy()
      return undefined
    }
    const localEnd = sessionClient({ remoteAddress: localAddress, remotePort: localPort })
    const local = { host: this.#init.ctx.config.sipip || localEnd.ip, port: localPort }
    const ends: FlowEnds = { transport, local, remote: { host: ip, port } }
    const name = flowName(ends)
    const connection = new SipConnection({
      socket,
      onMessage: (message) => this.#message(message, ends, ends.remote),
      onEnd: (fault) => {
        this.#connections.delete(name)
        if (fault !== undefined) this.#init.ctx.log.debug({ peer: name, fault }, 'a connection of SIP has ended')
        this.#init.onGone(ends)
      },
    })
    this.#connections.set(name, { connection, listener: listener?.() })
    return ends
  }

  #datagram(bytes: Buffer, { remoteAddress, remotePort }: UdpPeer, port: number): void {
    // Signs of life of NATs, as RFC 5626 has them.
    if (bytes.length <= 4) return
    const from = { host: remoteAddress, port: remotePort }
    const message = this.#readable(from, () => parseSipDatagram(bytes))
    if (message === undefined) return
    const { sipip } = this.#init.ctx.config
    const local = sipip === '' ? this.#addresses.toward(remoteAddress) : sipip
    const take = (host: string | undefined) => {
      if (host === undefined) return
      const ends: FlowEnds = { transport: 'UDP', local: { host, port }, remote: from }
      this.#readable(from, () => this.#message(message, ends, from))
    }
    if (local instanceof Promise) void local.then(take)
    else take(local)
  }

  /** Reads a message of a datagram; reports it where it is malformed, and returns undefined. */
  #readable<Result>(from: SipEndpoint, read: () => Result): Result | undefined {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#reportBroken(from, error.message)
      return undefined
    }
  }

  #message(message: SipMessage, ends: FlowEnds, from: SipEndpoint): void {
    const { board, onMessage } = this.#init
    this.#messages?.with({ transport: ends.transport }).add()
    if (message.kind === 'response') return onMessage(message, new BoardFlow(ends, board))
    const received = tryParse((request) => receivedRequest(request, from), message)
    if (received === undefined) return this.#reportBroken(from, 'a request without a Via')
    const remote = ends.transport === 'UDP' ? received.replyTo : ends.remote
    onMessage(received.request, new BoardFlow({ ...ends, remote }, board))
  }

  #reportBroken(from: SipEndpoint, fault: string): void {
    this.#broken?.add()
    const withheld = this.#limit.pass()
    if (withheld !== undefined) this.#init.ctx.log.info({ peer: from, fault, withheld }, 'a message of SIP is broken')
  }
}
