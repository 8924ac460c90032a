import { randomBytes, randomInt } from 'node:crypto'
import type { CloseReason, UdpListener, UdpPeer } from 'sluice/sdk'
import type { Connections } from './connections.ts'
import { nowUs } from './now.ts'
import type { SrtContext } from './plugin-context.ts'
import { describeUnsupported } from './reject.ts'
import { Session } from './session.ts'
import { localTerms } from './terms.ts'
import type { ConnectionRequest } from './wire/handshake/connection-request.ts'
import { ListenerHandshake } from './wire/handshake/listener-handshake.ts'
import { REJECT_REASON } from './wire/handshake/reject-reason.ts'
import { destinationOf, HEADER_BYTES } from './wire/packet/packet-header.ts'

/**
 * The most callers that wait for a decision, or were refused a little while ago: in all, and of one address. Each has proved by a cookie
 * that it receives at its address; callers beyond the limit are refused, and no state is kept for them.
 */
const MAX_WAITING = 1024
export const MAX_WAITING_OF_ADDRESS = 256
const SECRET_BYTES = 32
/** libsrt's ids are positive, and bit 30 marks those of a group. */
const SOCKET_ID_END = 2 ** 30

type Kept = { readonly cookieSecret: string }

/** Takes callers on the plugin's port, for one generation. */
export class SrtListener {
  readonly #ctx: SrtContext
  readonly #connections: Connections
  readonly #handshake: ListenerHandshake
  readonly #sessions = new Map<number, Session>()
  /** The number of waiting callers, by address. */
  readonly #waiting = new Map<string, number>()
  #waitingCount = 0
  #listener: UdpListener | undefined
  #isDraining = false

  constructor(ctx: SrtContext, connections: Connections) {
    this.#ctx = ctx
    this.#connections = connections
    // A handshake that began with one generation ends with the next.
    const create = (): Kept => ({ cookieSecret: randomBytes(SECRET_BYTES).toString('hex') })
    const { cookieSecret } = ctx.keep('handshakes', create)
    const terms = () => localTerms(ctx.config.latency)
    this.#handshake = new ListenerHandshake({ secret: Buffer.from(cookieSecret, 'hex'), nowUs, terms })
  }

  /** @throws {Error} as `Net.udp` does */
  async open(): Promise<void> {
    const ctx = this.#ctx
    ctx.onDrain(() => {
      this.#isDraining = true
    })
    this.#listener = await ctx.net.udp(ctx.config, (datagram, peer) => this.#receive(datagram, peer))
  }

  /** Ends all sessions. */
  close(reason: CloseReason): void {
    for (const session of this.#sessions.values()) session.close(reason)
  }

  #receive(datagram: Buffer, peer: UdpPeer): boolean {
    const listener = this.#listener
    // A newer generation takes new callers; a datagram for a socket id belongs to a session that is gone.
    if (this.#isDraining || listener === undefined) return false
    if (datagram.length < HEADER_BYTES || destinationOf(datagram) !== 0) return false
    const said = this.#handshake.receive(datagram, peer)
    if (said === undefined) return false
    if (said.kind !== 'request') listener.send([said.datagram], peer)
    if (said.kind === 'refusal') this.#refused(said.reason, peer)
    else if (said.kind === 'request') this.#begin(listener, said.request, datagram, peer)
    return true
  }

  #begin(listener: UdpListener, request: ConnectionRequest, conclusion: Buffer, peer: UdpPeer): void {
    const { remoteAddress } = peer
    const ofAddress = this.#waiting.get(remoteAddress) ?? 0
    if (this.#waitingCount >= MAX_WAITING || ofAddress >= MAX_WAITING_OF_ADDRESS) {
      this.#connections.refusals.count(REJECT_REASON.backlog)
      return listener.send([request.reject(REJECT_REASON.backlog)], peer)
    }
    this.#waiting.set(remoteAddress, ofAddress + 1)
    this.#waitingCount += 1
    const socketId = this.#newSocketId()
    const session = new Session({
      ctx: this.#ctx,
      connections: this.#connections,
      listener,
      peer,
      socketId,
      request,
      conclusion,
      local: {
        host: this.#hostFor(peer),
        port: listener.address.port,
      },
      settled: () => this.#settled(remoteAddress),
      over: () => this.#sessions.delete(socketId),
    })
    this.#sessions.set(socketId, session)
  }

  /** The caller wants something other than live media, or speaks an old version of SRT. */
  #refused(reason: number, peer: UdpPeer): void {
    const { refusals } = this.#connections
    refusals.count(reason)
    refusals.tell(peer, 'connection refused', describeUnsupported(reason))
  }

  #settled(remoteAddress: string): void {
    this.#waitingCount -= 1
    const ofAddress = (this.#waiting.get(remoteAddress) ?? 1) - 1
    if (ofAddress > 0) this.#waiting.set(remoteAddress, ofAddress)
    else this.#waiting.delete(remoteAddress)
  }

  #newSocketId(): number {
    for (;;) {
      const socketId = randomInt(1, SOCKET_ID_END)
      if (!this.#sessions.has(socketId)) return socketId
    }
  }

  /** The address at which a caller reaches this machine, of the caller's family. */
  #hostFor({ remoteAddress }: UdpPeer): string {
    const { host } = this.#listener?.address ?? { host: '' }
    if (host !== '0.0.0.0' && host !== '::') return host
    const { outward, loopback, publicIpv4, publicIpv6 } = this.#ctx.net.addresses()
    const isIpv6 = remoteAddress.includes(':')
    const known = isIpv6 ? publicIpv6 : publicIpv4
    return known ?? [...outward, ...loopback].find((address) => address.includes(':') === isIpv6) ?? host
  }
}
