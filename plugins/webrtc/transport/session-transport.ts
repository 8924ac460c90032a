import { randomBytes } from 'node:crypto'
import { InvalidRequest, type Certificate, type CloseReason, type UdpPeer } from 'sluice/sdk'
import type { DtlsKeys } from './dtls-endpoint.ts'
import { usableFingerprints } from './dtls-proof.ts'
import { isDtls } from './dtls-record.ts'
import { IceAgent } from './ice-agent.ts'
import { parseRemoteCandidate } from './ice-candidate.ts'
import { endText } from './ice-pair.ts'
import type { LocalSocket } from './local-sockets.ts'
import type { SharedArena } from './packet-batch.ts'
import type { PacketPath } from './packet-path.ts'
import type { PeerTransport, TransportHandlers, TransportStatus } from './peer-transport.ts'
import { SecureMedia } from './secure-media.ts'
import { SessionHandshake } from './session-handshake.ts'
import { SessionPaths } from './session-paths.ts'
import { isStun } from './stun-message.ts'
import type { IceCandidateLine, IceCredentials, TransportDescription } from './transport-description.ts'

/** The role of this end: the offerer is controlling (RFC 8445 6.1.1), and lets the peer decide who begins DTLS. */
export type TransportRole = 'offerer' | 'answerer'

export type SessionTransportOptions = {
  readonly role: TransportRole
  readonly handlers: TransportHandlers
  /** Returns true when datagrams may go to an address of the peer. Default all. */
  readonly mayReach?: ((address: string) => boolean) | undefined
  readonly candidates: readonly IceCandidateLine[]
  readonly sockets: () => readonly LocalSocket[]
  readonly certificate: Certificate
  readonly local: Pick<TransportDescription, 'fingerprints'>
  readonly arena: SharedArena
  /** A monotonic clock in milliseconds. */
  readonly now: () => number
  /** Called when the transport has other credentials, or has ended. */
  readonly onChange: (transport: SessionTransport) => void
}

/** The time after which a session without a path to its peer is given up. */
const ICE_DEADLINE_MS = 30_000
const TICK_MS = 50
const SETTLED_TICK_MS = 500
/** The most pairs in texts for people. */
const MAX_LISTED_CHECKS = 20

/** The ICE, DTLS and SRTP of one peer, over paths that the peer has proved to be its own. */
export class SessionTransport implements PeerTransport {
  readonly #options: SessionTransportOptions
  readonly #agent: IceAgent
  readonly #createdMs: number
  readonly #paths: SessionPaths
  #remote: TransportDescription | undefined
  #formerFragment: string | undefined
  #state: TransportStatus['state'] = 'checking'
  #path: PacketPath | undefined
  /** True when the connection of the path in use is gone, and the peer has made no other. */
  #isPathLost = false
  readonly #handshake = new SessionHandshake()
  #media: SecureMedia | undefined
  #nextTickMs = 0
  #receivedBytes = 0
  #closed: CloseReason | undefined

  constructor(options: SessionTransportOptions) {
    this.#options = options
    this.#createdMs = options.now()
    this.#paths = new SessionPaths(options.sockets, (path, datagram) => this.receive(path, datagram))
    this.#agent = new IceAgent({
      controlling: options.role === 'offerer',
      local: createCredentials(),
      tieBreaker: randomBytes(8).readBigUInt64BE(),
      random: Math.random,
      pathsTo: (candidate) => this.#paths.to(candidate),
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
      profile: this.#media?.profile,
      checks: pairs.slice(0, MAX_LISTED_CHECKS).map(({ description }) => description),
      bytesReceived: this.#receivedBytes,
      bytesSent: this.#media?.sentBytes ?? 0,
    }
  }

  /** The username fragments that the peer may use: those before and after the last restart. */
  get fragments(): readonly string[] {
    const { usernameFragment } = this.#agent.local
    return this.#formerFragment === undefined ? [usernameFragment] : [usernameFragment, this.#formerFragment]
  }

  /** True when an authentic packet came from the peer. */
  get wasHeard(): boolean {
    return this.#paths.wereHeard
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
      if (candidate === undefined || this.isClosed || !this.#mayReach(candidate.address)) continue
      this.#agent.addCandidate(candidate)
    }
  }

  restartIce(remote: IceCredentials): IceCredentials {
    if (this.isClosed) return this.#agent.local
    this.#formerFragment = this.#agent.local.usernameFragment
    this.#agent.restart(createCredentials(), remote, this.#options.now())
    this.#nextTickMs = 0
    this.#options.onChange(this)
    return this.#agent.local
  }

  write(header: Uint8Array, headerSizeBytes: number, payload: Uint8Array): void {
    this.#media?.write(header, headerSizeBytes, payload)
  }

  flush(): void {
    this.#media?.flush()
  }

  sendRtcp(packet: Buffer): void {
    this.#media?.sendRtcp(packet)
  }

  close(reason: CloseReason | string = 'the session was closed'): void {
    if (this.isClosed) return
    this.#closed = typeof reason === 'string' ? { code: 'closed', text: reason } : reason
    this.#state = 'closed'
    try {
      this.#handshake.close()
    } finally {
      this.#media?.close()
      this.#media = undefined
      this.#paths.close()
      this.#options.onChange(this)
      this.#options.handlers.closed(this.#closed)
    }
  }

  /** Sends the packets that are due, and ends a transport that has taken too long. */
  tick(nowMs: number): void {
    if (nowMs < this.#nextTickMs || this.isClosed) return
    this.#nextTickMs = nowMs + (this.#agent.isSettled ? SETTLED_TICK_MS : TICK_MS)
    if (!this.#agent.tick(nowMs)) {
      this.close({ code: 'left', text: this.#isPathLost ? 'the connection was closed' : 'the peer no longer answers' })
    } else if (this.#state === 'checking' && nowMs - this.#createdMs >= ICE_DEADLINE_MS) {
      this.close({ code: 'failed', text: `no way to the peer was found: ${this.#checksText()}` })
    } else if (this.#state === 'handshake' && this.#handshake.isLate(nowMs)) {
      this.close({ code: 'failed', text: `the DTLS handshake took too long: ${this.#handshake.progress}` })
    }
  }

  /**
   * Takes a check that names this session, from an address that is not known to be its peer's.
   * @returns true when the address is the peer's from now on: the check was authentic, and there is room for one more
   */
  receiveFrom(socket: LocalSocket, peer: UdpPeer, datagram: Buffer): boolean {
    const { key, path } = this.#paths.from(socket, peer)
    return this.receiveCheck(key, path, datagram)
  }

  /** Takes a check as {@link SessionTransport.receiveFrom} does, by a path that the session closes if it keeps it. */
  receiveCheck(key: string, path: PacketPath, datagram: Buffer): boolean {
    if (this.isClosed || !this.#mayReach(path.remoteAddress)) return false
    if (!this.#agent.receive(datagram, path, this.#options.now())) return false
    this.#nextTickMs = 0
    this.#paths.thin((one) => this.#uses(one))
    const isKept = this.#uses(path)
    if (isKept) this.#paths.keep(path, key)
    // The peer waits for the answer, so this end's own check is sent at once.
    this.tick(this.#options.now())
    return isKept
  }

  /** Takes a datagram that came by a path of the session. @returns false when it was not for it */
  receive(path: PacketPath, datagram: Buffer): boolean {
    const isOurs = !this.isClosed && this.#take(path, datagram)
    if (isOurs) this.#receivedBytes += datagram.length
    return isOurs
  }

  /** A connection of the peer has ended. */
  lose(path: PacketPath): void {
    if (path === this.#path) this.#isPathLost = true
    this.#agent.lose(path, this.#options.now())
    this.#paths.remove(path)
  }

  get #isDtlsClient(): boolean {
    return this.#remote?.setup === 'passive'
  }

  #mayReach(address: string): boolean {
    return this.#options.mayReach?.(address) ?? true
  }

  #uses(path: PacketPath): boolean {
    return this.#agent.selected?.path === path || this.#agent.pairs.some((pair) => pair.path === path)
  }

  #take(path: PacketPath, datagram: Buffer): boolean {
    if (isStun(datagram)) {
      const isOurs = this.#agent.receive(datagram, path, this.#options.now())
      if (isOurs && !this.#agent.isSettled) this.#nextTickMs = 0
      if (isOurs && this.isConnected) this.#options.handlers.alive()
      return isOurs
    }
    if (path.lastHeardMs === -Infinity) return false
    if (isDtls(datagram)) return this.#handshake.receive(datagram)
    if (this.#media?.receive(datagram) !== true) return false
    this.#handshake.settle()
    path.lastHeardMs = this.#options.now()
    return true
  }

  #select(path: PacketPath): void {
    this.#path = path
    this.#isPathLost = false
    if (this.#state !== 'checking' || this.#remote === undefined) return
    this.#state = 'handshake'
    const { certificate, now } = this.#options
    const options = {
      isClient: this.#isDtlsClient,
      certificate,
      fingerprints: this.#remote.fingerprints,
      send: (datagram: Buffer) => this.#path?.send([datagram]),
      connected: (keys: DtlsKeys) => this.#connected(keys),
      ended: (why: string) => this.#endDtls(why),
    }
    this.#handshake.begin(options, now()).catch((error: Error) => this.close({ code: 'failed', text: error.message }))
  }

  #connected(keys: DtlsKeys): void {
    const { arena, handlers } = this.#options
    this.#media = new SecureMedia({ keys, arena, handlers, path: () => this.#path })
    this.#state = 'connected'
    this.#options.onChange(this)
    handlers.connected()
  }

  #endDtls(why: string): void {
    if (this.isConnected) this.close({ code: 'left', text: why })
    else this.close({ code: 'failed', text: `the DTLS handshake failed: ${why}` })
  }

  #checksText(): string {
    const { checks } = this.status
    return checks.length === 0 ? 'no candidate of its came, and no check from it' : checks.join('; ')
  }
}

/** Creates credentials with at least 24 and 128 bits of randomness (RFC 8445 5.3). */
function createCredentials(): IceCredentials {
  // The alphabet of both has + and /, and no - and _ (RFC 8839 5.4).
  return { usernameFragment: randomBytes(6).toString('base64'), password: randomBytes(18).toString('base64') }
}
