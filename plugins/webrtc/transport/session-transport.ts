import { randomBytes } from 'node:crypto'
import { InvalidRequest, type Certificate, type CloseReason, type UdpPeer } from 'sluice/sdk'
import type { SrtpKeys, SrtpReceiver, SrtpSender } from '../srtp/srtp-context.ts'
import { DtlsEndpoint, type DtlsKeys } from './dtls-endpoint.ts'
import { usableFingerprints } from './dtls-proof.ts'
import { isDtls } from './dtls-record.ts'
import { IceAgent } from './ice-agent.ts'
import { parseRemoteCandidate, type RemoteCandidate } from './ice-candidate.ts'
import { endText } from './ice-pair.ts'
import type { LocalSocket } from './local-sockets.ts'
import { mayReach } from './local-sockets.ts'
import { PacketBatch, type SharedArena } from './packet-batch.ts'
import { UdpPath, type PacketPath } from './packet-path.ts'
import type { PeerTransport, TransportHandlers, TransportStatus } from './peer-transport.ts'
import { isStun } from './stun-message.ts'
import type { IceCandidateLine, IceCredentials, TransportDescription } from './transport-description.ts'

/** Makes what encrypts and decrypts packets. */
export type SrtpContexts = {
  createSender(keys: SrtpKeys): SrtpSender
  createReceiver(keys: SrtpKeys): SrtpReceiver
}

/** Whether this end made the offer: it is controlling then (RFC 8445 6.1.1), and leaves it to the peer who begins DTLS. */
export type TransportRole = 'offerer' | 'answerer'

export type SessionTransportOptions = {
  readonly role: TransportRole
  readonly handlers: TransportHandlers
  readonly candidates: readonly IceCandidateLine[]
  readonly sockets: () => readonly LocalSocket[]
  readonly certificate: Certificate
  readonly local: Pick<TransportDescription, 'fingerprints'>
  readonly srtp: SrtpContexts
  readonly arena: SharedArena
  /** Milliseconds that never go back. */
  readonly now: () => number
  /** It has other credentials, or has ended. */
  readonly onChange: (transport: SessionTransport) => void
}

/** A session that never gets through is given up after so long, and one whose handshake comes to nothing (RFC 6347 4.2.4.1). */
export const ICE_DEADLINE_MS = 30_000
export const HANDSHAKE_DEADLINE_MS = 20_000
const MAX_PATHS = 64
/** What the peer may send of its handshake before its way was checked: a flight of small datagrams. */
const MAX_EARLY_DATAGRAMS = 8
const MAX_EARLY_BYTES = 8192
const TICK_MS = 50
const SETTLED_TICK_MS = 500
/** More pairs are not named to people. */
const MAX_LISTED_CHECKS = 20

/** ICE, DTLS and SRTP of one peer, over paths that it shows to be its own. */
export class SessionTransport implements PeerTransport {
  readonly #options: SessionTransportOptions
  readonly #agent: IceAgent
  readonly #createdMs: number
  readonly #paths = new Map<string, PacketPath>()
  #remote: TransportDescription | undefined
  #formerFragment: string | undefined
  #state: TransportStatus['state'] = 'checking'
  #path: PacketPath | undefined
  #dtls: DtlsEndpoint | undefined
  #early: Buffer[] = []
  #handshakeEndMs = Infinity
  #keys: DtlsKeys | undefined
  #sender: SrtpSender | undefined
  #receiver: SrtpReceiver | undefined
  #batch: PacketBatch | undefined
  #nextTickMs = 0
  #receivedBytes = 0
  #sentRtcpBytes = 0
  #closed: CloseReason | undefined

  constructor(options: SessionTransportOptions) {
    this.#options = options
    this.#createdMs = options.now()
    this.#agent = new IceAgent({
      controlling: options.role === 'offerer',
      local: createCredentials(),
      tieBreaker: randomBytes(8).readBigUInt64BE(),
      random: Math.random,
      pathsTo: (candidate) => this.#pathsTo(candidate),
      onSelected: (path) => this.#select(path as PacketPath),
    })
  }

  get local(): TransportDescription {
    const { candidates, role, local } = this.#options
    const setup = role === 'offerer' ? 'actpass' : this.#isDtlsClient ? 'active' : 'passive'
    return { ice: this.#agent.local, setup, fingerprints: local.fingerprints, candidates, isComplete: true }
  }

  get status(): TransportStatus {
    const { selected, pairs } = this.#agent
    const path = this.#path
    const localEnd = path && endText(path.localAddress, path.localPort)
    return {
      state: this.#state,
      pair: path && `${path.transport} ${localEnd} ${endText(path.remoteAddress, path.remotePort)}`,
      rttMs: selected?.rttMs,
      profile: this.#keys?.sending.profile,
      checks: pairs.slice(0, MAX_LISTED_CHECKS).map(({ description }) => description),
      bytesReceived: this.#receivedBytes,
      bytesSent: this.#sentRtcpBytes + (this.#batch?.sentBytes ?? 0),
    }
  }

  /** The username fragments by which the peer may call it: before and after the last restart. */
  get fragments(): readonly string[] {
    const { usernameFragment } = this.#agent.local
    return this.#formerFragment === undefined ? [usernameFragment] : [usernameFragment, this.#formerFragment]
  }

  /** Whether anything authentic came from the peer. */
  get wasHeard(): boolean {
    return this.#paths.values().some(({ lastHeardMs }) => lastHeardMs > -Infinity)
  }

  get isConnected(): boolean {
    return this.#state === 'connected'
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  connect(remote: TransportDescription): void {
    if (usableFingerprints(remote.fingerprints).length === 0)
      throw new InvalidRequest('no fingerprint by SHA-256, SHA-384 or SHA-512')
    if (this.#options.role === 'offerer' && remote.setup === 'actpass')
      throw new InvalidRequest('an answer with a=setup:actpass')
    if (this.#remote !== undefined || this.isClosed) return
    this.#remote = remote
    this.#agent.start(remote.ice)
    this.addCandidates(remote.candidates)
  }

  addCandidates(lines: readonly IceCandidateLine[]): void {
    for (const line of lines) {
      const candidate = parseRemoteCandidate(line)
      if (candidate !== undefined && !this.isClosed) this.#agent.addCandidate(candidate)
    }
  }

  restartIce(remote: IceCredentials): IceCredentials {
    if (this.isClosed) return this.#agent.local
    this.#formerFragment = this.#agent.local.usernameFragment
    this.#agent.restart(createCredentials(), remote)
    this.#nextTickMs = 0
    this.#options.onChange(this)
    return this.#agent.local
  }

  write(header: Uint8Array, headerSizeBytes: number, payload: Uint8Array): void {
    this.#batch?.write(header, headerSizeBytes, payload)
  }

  flush(): void {
    this.#batch?.flush()
  }

  sendRtcp(packet: Buffer): void {
    if (this.#sender === undefined || this.#path === undefined) return
    const protectedPacket = this.#sender.protectRtcp(packet)
    this.#sentRtcpBytes += protectedPacket.length
    this.#path.send([protectedPacket])
  }

  close(reason: CloseReason | string = 'the session was closed'): void {
    if (this.isClosed) return
    this.#closed = typeof reason === 'string' ? { code: 'closed', text: reason } : reason
    this.#state = 'closed'
    this.#dtls?.close()
    this.#batch?.close()
    this.#batch = undefined
    this.#sender?.close()
    this.#receiver?.close()
    this.#sender = undefined
    this.#receiver = undefined
    this.#early = []
    for (const path of this.#paths.values()) path.close()
    this.#options.onChange(this)
    this.#options.handlers.closed(this.#closed)
  }

  /** Sends what is due, and ends what has taken too long. */
  tick(nowMs: number): void {
    if (nowMs < this.#nextTickMs || this.isClosed) return
    this.#nextTickMs = nowMs + (this.#agent.isSettled ? SETTLED_TICK_MS : TICK_MS)
    if (!this.#agent.tick(nowMs)) {
      this.close({ code: 'left', text: 'the client no longer answers' })
    } else if (this.#state === 'checking' && nowMs - this.#createdMs >= ICE_DEADLINE_MS) {
      this.close({ code: 'failed', text: `no way to the client was found: ${this.#checksText()}` })
    } else if (this.#state === 'handshake' && nowMs >= this.#handshakeEndMs) {
      const progress = this.#dtls?.progress ?? 'it did not begin'
      this.close({ code: 'failed', text: `the DTLS handshake took too long: ${progress}` })
    }
  }

  /**
   * Takes a check that names this session, from an address that is not known to be its peer's.
   * @returns false when it is not authentic; nothing was answered, and nothing is kept of it
   */
  receiveFrom(socket: LocalSocket, peer: UdpPeer, datagram: Buffer): boolean {
    const key = keyOf(socket, peer.remoteAddress, peer.remotePort)
    const path = this.#paths.get(key) ?? new UdpPath(socket, peer)
    return this.receiveCheck(key, path, datagram)
  }

  /** As {@link SessionTransport.receiveFrom}, by a path that it is given if it keeps it. */
  receiveCheck(key: string, path: PacketPath, datagram: Buffer): boolean {
    if (this.isClosed || !this.#agent.receive(datagram, path, this.#options.now())) return false
    this.#nextTickMs = 0
    if (this.#uses(path)) this.#keep(key, path)
    // The answer to the peer's check is waited for: this end's own is sent at once.
    this.tick(this.#options.now())
    return true
  }

  /** Takes what came by a path of the session. @returns false when it was not for it */
  receive(path: PacketPath, datagram: Buffer): boolean {
    if (this.isClosed) return false
    this.#receivedBytes += datagram.length
    if (isStun(datagram)) {
      const isOurs = this.#agent.receive(datagram, path, this.#options.now())
      if (isOurs && !this.#agent.isSettled) this.#nextTickMs = 0
      return isOurs
    }
    if (path.lastHeardMs === -Infinity) return false
    if (isDtls(datagram)) this.#receiveDtls(datagram)
    else this.#receiveMedia(path, datagram)
    return true
  }

  /** A connection of the peer has ended. */
  lose(path: PacketPath): void {
    this.#agent.lose(path, this.#options.now())
    for (const [key, one] of this.#paths) if (one === path) this.#paths.delete(key)
  }

  get #isDtlsClient(): boolean {
    const setup = this.#remote?.setup
    return setup === 'passive'
  }

  #pathsTo({ address, port }: RemoteCandidate): PacketPath[] {
    const paths: PacketPath[] = []
    for (const socket of this.#options.sockets()) {
      if (!mayReach(socket.listener.address.host, address)) continue
      const key = keyOf(socket, address, port)
      let path = this.#paths.get(key)
      if (path === undefined && this.#paths.size < MAX_PATHS) {
        path = new UdpPath(socket, { remoteAddress: address, remotePort: port })
        this.#keep(key, path)
      }
      if (path !== undefined) paths.push(path)
    }
    return paths
  }

  #uses(path: PacketPath): boolean {
    return this.#agent.selected?.path === path || this.#agent.pairs.some((pair) => pair.path === path)
  }

  #keep(key: string, path: PacketPath): void {
    if (this.#paths.has(key)) return
    if (this.#paths.size >= MAX_PATHS) this.#dropUnused()
    this.#paths.set(key, path)
    if (path instanceof UdpPath) path.claim((datagram) => this.receive(path, datagram))
  }

  #dropUnused(): void {
    for (const [key, path] of this.#paths) {
      if (this.#uses(path)) continue
      path.close()
      this.#paths.delete(key)
    }
  }

  #select(path: PacketPath): void {
    this.#path = path
    if (this.#state !== 'checking' || this.#remote === undefined) return
    this.#state = 'handshake'
    this.#handshakeEndMs = this.#options.now() + HANDSHAKE_DEADLINE_MS
    this.#openDtls(this.#remote).catch((error: Error) => this.close({ code: 'failed', text: error.message }))
  }

  async #openDtls({ fingerprints }: TransportDescription): Promise<void> {
    const dtls = await DtlsEndpoint.open({
      isClient: this.#isDtlsClient,
      certificate: this.#options.certificate,
      fingerprints,
      send: (datagram) => this.#path?.send([datagram]),
      connected: (keys) => this.#connected(keys),
      ended: (why) => this.#endDtls(why),
    })
    if (this.isClosed) {
      dtls.close()
      return
    }
    this.#dtls = dtls
    for (const datagram of this.#early.splice(0)) dtls.receive(datagram)
  }

  #connected(keys: DtlsKeys): void {
    const { srtp, arena, handlers } = this.#options
    this.#keys = keys
    this.#sender = srtp.createSender(keys.sending)
    this.#receiver = srtp.createReceiver(keys.receiving)
    this.#batch = new PacketBatch(arena, this.#sender, (bytes, packetBytes) => this.#path?.sendRun(bytes, packetBytes))
    this.#state = 'connected'
    this.#options.onChange(this)
    handlers.connected()
  }

  #endDtls(why: string): void {
    if (this.isConnected) this.close({ code: 'left', text: why })
    else this.close({ code: 'failed', text: `the DTLS handshake failed: ${why}` })
  }

  #receiveDtls(datagram: Buffer): void {
    if (this.#dtls !== undefined) this.#dtls.receive(datagram)
    else if (this.#early.length < MAX_EARLY_DATAGRAMS && datagram.length <= MAX_EARLY_BYTES / MAX_EARLY_DATAGRAMS) {
      this.#early.push(Buffer.from(datagram))
    }
  }

  /** RTP and RTCP (RFC 5761 4). */
  #receiveMedia(path: PacketPath, packet: Buffer): void {
    if (this.#receiver === undefined || packet.length < 2 || packet[0]! >> 6 !== 2) return
    const isRtcp = packet[1]! >= 192 && packet[1]! <= 223
    const clear = isRtcp ? this.#receiver.unprotectRtcp(packet) : this.#receiver.unprotectRtp(packet)
    if (clear === undefined) return
    path.lastHeardMs = this.#options.now()
    if (isRtcp) this.#options.handlers.rtcp(clear)
    else this.#options.handlers.rtp(clear)
  }

  #checksText(): string {
    const { checks } = this.status
    return checks.length === 0 ? 'no candidate of its came, and no check from it' : checks.join('; ')
  }
}

function keyOf({ listener }: LocalSocket, address: string, port: number): string {
  return `${listener.address.host} ${listener.address.port} ${address} ${port}`
}

/** RFC 8445 5.3: 24 bits of randomness for the one, 128 for the other, at least. */
function createCredentials(): IceCredentials {
  // The alphabet of both has + and /, and no - and _ (RFC 8839 5.4).
  return { usernameFragment: randomBytes(6).toString('base64'), password: randomBytes(18).toString('base64') }
}
