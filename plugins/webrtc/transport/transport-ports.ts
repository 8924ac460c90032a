import { StreamUnavailable, type Certificate, type PluginContext, type PortRange, type UdpPeer } from 'sluice/sdk'
import { fingerprintOf } from './dtls-proof.ts'
import { candidateLines, candidatePriority } from './ice-candidate.ts'
import { localCandidates, type ReachablePort } from './local-candidates.ts'
import { LocalSockets, type LocalSocket } from './local-sockets.ts'
import { SharedArena } from './packet-batch.ts'
import type { PeerTransport, TransportHandlers } from './peer-transport.ts'
import { parsePortList, type PortEntry } from './port-list.ts'
import { SessionTransport, type TransportRole } from './session-transport.ts'
import { isStun, parseStun } from './stun-message.ts'
import { TcpConnections } from './tcp-connections.ts'
import type { Fingerprint } from './transport-description.ts'

export type TransportPortsOptions = {
  readonly ctx: Pick<PluginContext<unknown>, 'net' | 'log' | 'setInterval' | 'setTimeout' | 'onDrain'>
  /** See {@link transportConfig}. */
  readonly ports: readonly string[]
  /** A monotonic clock in milliseconds, as `performance.now`. */
  readonly now: () => number
}

export type PeerTransportOptions = {
  readonly role: TransportRole
  /** The address of the client's request, or of the server that is called, which decides on the addresses for it. */
  readonly clientAddress?: string | undefined
  /** Returns true when datagrams may go to an address of the peer. Default all. */
  readonly mayReach?: ((address: string) => boolean) | undefined
  readonly handlers: TransportHandlers
}

/** The most sessions that are not connected yet; the oldest without packets makes room for one more. */
export const MAX_CONNECTING = 512
const TICK_MS = 50
const ADDRESSES_INTERVAL_MS = 60_000
/** The ports of sessions that call (RFC 6335 6), unless `port` has a range. */
const DYNAMIC_PORTS: PortRange = { first: 49_152, last: 65_535 }
const CERTIFICATE_FILES = { certfile: '', keyfile: '' }

/** The ports that the sessions of one generation share, which find the session of each datagram. */
export class TransportPorts {
  readonly #options: TransportPortsOptions
  readonly #entries: readonly PortEntry[]
  readonly #certificate: Certificate
  readonly #fingerprint: Fingerprint
  readonly #sockets: LocalSockets
  readonly #tcp: TcpConnections
  readonly #arena = new SharedArena()
  /** All sessions that have not ended, in the order of their creation. */
  readonly #transports = new Set<SessionTransport>()
  readonly #connecting = new Set<SessionTransport>()
  readonly #byFragment = new Map<string, SessionTransport>()
  readonly #fragments = new Map<SessionTransport, readonly string[]>()
  /** The sockets of sessions that have a port of their own. */
  readonly #ownSockets = new Map<SessionTransport, LocalSocket>()
  #cancelTicks: (() => void) | undefined
  #isDraining = false

  /**
   * Opens the ports.
   * @throws {Error} with a `code` when an address can't be bound
   */
  static async open(options: TransportPortsOptions): Promise<TransportPorts> {
    const { ctx } = options
    const ports = new TransportPorts(options, await ctx.net.certificate(CERTIFICATE_FILES))
    await ports.#sockets.open()
    await ports.#tcp.open(ports.#entries)
    const stop = ctx.setInterval(() => ports.#sockets.refresh(), ADDRESSES_INTERVAL_MS)
    ctx.onDrain(() => {
      ports.#isDraining = true
      stop()
    })
    return ports
  }

  private constructor(options: TransportPortsOptions, certificate: Certificate) {
    this.#options = options
    this.#certificate = certificate
    this.#fingerprint = fingerprintOf(certificate.cert)
    const onDatagram = (datagram: Buffer, peer: UdpPeer, socket: LocalSocket) => this.#receive(datagram, peer, socket)
    const { net, log } = options.ctx
    this.#entries = parsePortList(options.ports)
    this.#sockets = new LocalSockets({ net, log, entries: this.#entries, onDatagram })
    const setTimeout = (callback: () => void, delayMs: number) => options.ctx.setTimeout(callback, delayMs)
    this.#tcp = new TcpConnections({ net, setTimeout, find: (check) => this.#find(check) })
  }

  /** The number of sessions that have not ended, and of those that are not connected yet. */
  get counts(): { readonly all: number; readonly connecting: number } {
    return { all: this.#transports.size, connecting: this.#connecting.size }
  }

  /**
   * Creates the transport of one peer.
   * @throws {StreamUnavailable} while too many others connect, when no port is free, and when a newer generation has taken over
   */
  async createPeerTransport({ role, clientAddress, mayReach, handlers }: PeerTransportOptions): Promise<PeerTransport> {
    if (this.#isDraining) throw new StreamUnavailable('a newer version of the plugin takes the sessions')
    this.#makeRoom()
    const ownSocket = await this.#openOwnSocket(role, (datagram, peer, socket) => this.#receive(datagram, peer, socket))
    const { now } = this.#options
    const socketsOf = () => {
      if (ownSocket === undefined) return this.#sockets.all
      return role === 'offerer' ? [ownSocket] : [ownSocket, ...this.#sockets.all]
    }
    const candidates = localCandidates(this.#reachable(socketsOf()), this.#options.ctx.net.addresses(), clientAddress)
    const transport = new SessionTransport({
      role,
      handlers,
      now,
      mayReach,
      arena: this.#arena,
      certificate: this.#certificate,
      candidates: candidateLines(candidates),
      sockets: socketsOf,
      local: { fingerprints: [this.#fingerprint] },
      onChange: (changed) => this.#update(changed),
    })
    if (ownSocket !== undefined) this.#ownSockets.set(transport, ownSocket)
    this.#transports.add(transport)
    this.#update(transport)
    return transport
  }

  /** Ends all sessions, as the plugin is being unloaded. */
  close(): void {
    for (const transport of this.#transports) transport.close({ code: 'unloaded', text: 'the plugin was unloaded' })
  }

  #makeRoom(): void {
    if (this.#connecting.size < MAX_CONNECTING) return
    const idle = this.#connecting.values().find((transport) => !transport.wasHeard)
    if (idle === undefined) throw new StreamUnavailable('too many sessions are being connected')
    idle.close({ code: 'failed', text: 'it made room for newer sessions, as nothing came from the client' })
  }

  /**
   * Opens a port for one session alone, when `port` has a range, and for each session that calls: the server called distinguishes sessions
   * by address and port, and may have several with this one.
   */
  async #openOwnSocket(
    role: TransportRole,
    onDatagram: (datagram: Buffer, peer: UdpPeer, socket: LocalSocket) => boolean,
  ): Promise<LocalSocket | undefined> {
    const entry = this.#entries.find(({ kind }) => kind === 'udp-range')
    const dynamic = role === 'offerer' ? DYNAMIC_PORTS : undefined
    const range = entry?.kind === 'udp-range' ? entry.range : dynamic
    if (range === undefined) return undefined
    let socket: LocalSocket | undefined
    const receive = (datagram: Buffer, peer: UdpPeer) => socket !== undefined && onDatagram(datagram, peer, socket)
    const listener = await this.#options.ctx.net.udpPort(range, receive)
    socket = { listener, priority: candidatePriority('host', 0) }
    return socket
  }

  #reachable(sockets: readonly LocalSocket[]): ReachablePort[] {
    return [
      ...sockets.map(({ listener: { address } }): ReachablePort => ({
        transport: 'udp',
        host: address.host === '::' || address.host === '0.0.0.0' ? undefined : address.host,
        port: address.port,
      })),
      ...this.#tcp.ports,
    ]
  }

  /** Takes a datagram from an address without a session. Only a check that is signed by a session's peer has an effect. */
  #receive(datagram: Buffer, peer: UdpPeer, socket: LocalSocket): boolean {
    return this.#find(datagram)?.receiveFrom(socket, peer, datagram) ?? false
  }

  /** Finds the session that a check names, which then verifies it. */
  #find(datagram: Buffer): SessionTransport | undefined {
    if (!isStun(datagram)) return undefined
    const check = parseStun(datagram)
    if (check?.class !== 'request' || check.username === undefined) return undefined
    return this.#byFragment.get(check.username.split(':', 1)[0]!)
  }

  #update(transport: SessionTransport): void {
    for (const fragment of this.#fragments.get(transport) ?? []) this.#byFragment.delete(fragment)
    if (transport.isClosed) this.#forget(transport)
    else {
      for (const fragment of transport.fragments) this.#byFragment.set(fragment, transport)
      this.#fragments.set(transport, transport.fragments)
      if (transport.isConnected) this.#connecting.delete(transport)
      else this.#connecting.add(transport)
    }
    if (this.#transports.size === 0) {
      this.#cancelTicks?.()
      this.#cancelTicks = undefined
    } else this.#cancelTicks ??= this.#options.ctx.setInterval(() => this.#tick(), TICK_MS)
  }

  #forget(transport: SessionTransport): void {
    this.#fragments.delete(transport)
    this.#transports.delete(transport)
    this.#connecting.delete(transport)
    const own = this.#ownSockets.get(transport)
    this.#ownSockets.delete(transport)
    void own?.listener.close()
  }

  #tick(): void {
    const nowMs = this.#options.now()
    for (const transport of this.#transports) transport.tick(nowMs)
  }
}
