import type { Socket } from 'node:net'
import type { TcpListener, UdpListener } from 'sluice/sdk'
import type { GbContext } from '../plugin-context.ts'
import type { MediaTaker, Switchboard } from '../transport/switchboard.ts'
import { readMedia } from './media-connection.ts'
import type { MediaHandlers, MediaPort } from './media-port.ts'

const SSRC_OFFSET = 8
const RTP_HEADER_SIZE_BYTES = 12
/** The system's buffers for the datagrams of all devices, in bytes. */
const UDP_BUFFERS = { readbuffer: 16 * 1024 * 1024, writebuffer: 1024 * 1024 }
/** The most connections that are not yet known to be a session's. */
const MAX_UNKNOWN_CONNECTIONS = 256
const UNKNOWN_MS = 10_000

/** One port of UDP and TCP for the media of all sessions, which are told apart by their SSRC, or else by the sender's address. */
export class OnePort {
  readonly #ctx: GbContext
  readonly #board: Switchboard
  /** Sessions whose media has another SSRC than the device was told. Those that have ended are bound to none. */
  readonly #byAddress = new Map<string, MediaTaker>()
  #unknownConnections = 0
  #udp: UdpListener | undefined
  #tcp: TcpListener | undefined

  constructor(ctx: GbContext, board: Switchboard) {
    this.#ctx = ctx
    this.#board = board
  }

  /** @throws {Error} as `net.udp` and `net.tcp` when the port can't be had */
  async listen(port: number): Promise<void> {
    const { net } = this.#ctx
    const listenaddr = `:${port}`
    const tcp = { listenaddr, listenaddrtls: '', certfile: '', keyfile: '', nodelay: true, keepalive: true }
    this.#udp = await net.udp({ listenaddr, ...UDP_BUFFERS }, (packet, { remoteAddress, remotePort }) => {
      const from = `${remoteAddress}:${remotePort}`
      return this.#takerOf(packet, from)?.packet(packet, from) ?? false
    })
    this.#tcp = await net.tcp(tcp, (socket) => this.#connected(socket))
  }

  /** Takes media with an SSRC, and such as comes from the session's addresses with another one. */
  open(ssrc: number, isTcp: boolean, taker: MediaTaker): MediaPort {
    const { media } = this.#board
    media.set(ssrc, taker)
    return {
      port: (isTcp ? this.#tcp?.addresses[0]?.port : this.#udp?.address.port) ?? 0,
      setup: isTcp ? 'passive' : undefined,
      answered: () => Promise.resolve(),
      close() {
        if (media.get(ssrc) === taker) media.delete(ssrc)
        for (const close of taker.connections) close()
      },
    }
  }

  #connected(socket: Socket): void {
    if (this.#unknownConnections >= MAX_UNKNOWN_CONNECTIONS) return void socket.on('error', () => {}).destroy()
    let taker: MediaTaker | undefined
    this.#unknownConnections += 1
    const known = () => {
      this.#unknownConnections -= 1
      cancel()
    }
    const handlers: MediaHandlers = {
      packet: (packet, from) => {
        if (taker === undefined) {
          taker = this.#takerOf(packet, from)
          if (taker === undefined) return false
          known()
          const { connections } = taker
          connections.add(close)
          socket.once('close', () => connections.delete(close))
        }
        return taker.packet(packet, from)
      },
      lost: (from) => taker?.lost(from),
      ended: (from) => (taker === undefined ? known() : taker.ended(from)),
    }
    const close = readMedia(socket, handlers)
    const cancel = this.#ctx.setTimeout(close, UNKNOWN_MS)
  }

  #takerOf(packet: Buffer, from: string): MediaTaker | undefined {
    if (packet.length < RTP_HEADER_SIZE_BYTES) return undefined
    return this.#board.media.get(packet.readUInt32BE(SSRC_OFFSET)) ?? this.#takerByAddress(from)
  }

  /** The session whose media comes from an address, or which expects some from there and has none yet. */
  #takerByAddress(from: string): MediaTaker | undefined {
    const known = this.#byAddress.get(from)
    if (known?.boundTo === from) return known
    this.#byAddress.delete(from)
    const host = from.slice(0, from.lastIndexOf(':'))
    const expecting = [...this.#board.media.values()].filter(({ hosts }) => hosts.has(host))
    const found =
      expecting.find(({ boundTo }) => boundTo === from) ?? expecting.find(({ boundTo }) => boundTo === undefined)
    if (found !== undefined) this.#byAddress.set(from, found)
    return found
  }
}
