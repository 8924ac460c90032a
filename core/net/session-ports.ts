import { randomInt } from 'node:crypto'
import { errorCode, type PortRange, StreamUnavailable } from 'sluice/sdk'
import type { BoundPort, PortHandler } from './bound-port.ts'
import { BoundUdpPort, type UdpPortHandler } from './bound-udp-port.ts'
import type { BufferSizes, SocketBuffers } from './socket-buffers.ts'
import type { UdpDrops } from './udp-drops.ts'
import type { UdpSending } from './udp-sending.ts'

/** A UDP port that was bound for one session. */
export type SessionPort = {
  readonly port: BoundUdpPort
  /** Gives the port back. Idempotent. */
  readonly close: () => void
}

/** A TCP port that was bound for one session. */
export type TcpSessionPort = {
  readonly address: { readonly host: string; readonly port: number }
  /** Gives the port back; accepted connections go on. Idempotent. */
  readonly close: () => void
}

const BUFFER_SIZES: BufferSizes = { readbuffer: 4 * 1024 * 1024, writebuffer: 4 * 1024 * 1024 }

/** The ports of single sessions: one of a range, by UDP or TCP, or an even UDP port and the next one. */
export class SessionPorts {
  readonly #buffers: SocketBuffers
  readonly #sending: UdpSending
  /** The ports that are bound here, or being bound; other sessions skip them. */
  readonly #taken = { udp: new Set<number>(), tcp: new Set<number>() }
  #closed = false

  constructor(buffers: SocketBuffers, sending: UdpSending) {
    this.#buffers = buffers
    this.#sending = sending
  }

  /** @throws {StreamUnavailable} when no port is free */
  take(range: PortRange, handler: UdpPortHandler, drops: UdpDrops): Promise<SessionPort> {
    return this.#find(range, 1, this.#taken.udp, (number) => this.#open(number, handler, drops))
  }

  /**
   * Takes a TCP port; `create` makes the bound port.
   * @throws {StreamUnavailable} when no port is free
   */
  takeTcp(range: PortRange, handler: PortHandler, create: () => BoundPort): Promise<TcpSessionPort> {
    return this.#find(range, 1, this.#taken.tcp, (number) => this.#openTcp(number, handler, create()))
  }

  /**
   * Takes an even port and the next one, for RTP and RTCP (RFC 3550, 11).
   * @throws {StreamUnavailable} when no two are free
   */
  takePair(
    range: PortRange,
    [even, odd]: readonly [UdpPortHandler, UdpPortHandler],
    drops: UdpDrops,
  ): Promise<readonly [SessionPort, SessionPort]> {
    return this.#find(range, 2, this.#taken.udp, async (number) => {
      const first = await this.#open(number, even, drops)
      try {
        return [first, await this.#open(number + 1, odd, drops)]
      } catch (error) {
        first.close()
        throw error
      }
    })
  }

  /** Refuses further ports. */
  close(): void {
    this.#closed = true
  }

  /**
   * Tries the numbers of a range that are multiples of `step`, from a random one on, so that late packets of a session that
   * has ended do not reach the next one. Numbers in use are skipped.
   */
  async #find<Found>(
    { first, last }: PortRange,
    step: 1 | 2,
    taken: ReadonlySet<number>,
    open: (number: number) => Promise<Found>,
  ): Promise<Found> {
    if (this.#closed) throw new StreamUnavailable('the server is stopping')
    const lowest = first + (first % step)
    const places = Math.floor((last - lowest + 1) / step)
    const start = places > 0 ? randomInt(places) : 0
    for (let tried = 0; tried < places; tried += 1) {
      const number = lowest + ((start + tried) % places) * step
      if (taken.has(number) || (step === 2 && taken.has(number + 1))) continue
      try {
        return await open(number)
      } catch (cause) {
        if (errorCode(cause) !== 'EADDRINUSE') throw new StreamUnavailable('no port can be opened', { cause })
      }
    }
    throw new StreamUnavailable(`no port from ${first} to ${last} is free`)
  }

  async #open(number: number, handler: UdpPortHandler, drops: UdpDrops): Promise<SessionPort> {
    const port = new BoundUdpPort({ sending: this.#sending, buffers: this.#buffers, sizes: BUFFER_SIZES, drops })
    return { port, close: await listen(port, number, handler, this.#taken.udp) }
  }

  async #openTcp(number: number, handler: PortHandler, port: BoundPort): Promise<TcpSessionPort> {
    const close = await listen(port, number, handler, this.#taken.tcp)
    return { address: port.address, close }
  }
}

/** A port of one session, by UDP or TCP. */
type Listener<Handler> = {
  readonly listening: boolean
  listen(address: { readonly host: null; readonly port: number }): Promise<void>
  activate(handler: Handler): void
  deactivate(handler: Handler): void
  close(): void
}

/** Binds a port to a number, which is taken until the port is closed by what this returns. */
async function listen<Handler>(
  port: Listener<Handler>,
  number: number,
  handler: Handler,
  taken: Set<number>,
): Promise<() => void> {
  taken.add(number)
  try {
    await port.listen({ host: null, port: number })
  } catch (error) {
    taken.delete(number)
    throw error
  }
  port.activate(handler)
  return () => {
    if (!port.listening) return
    port.deactivate(handler)
    port.close()
    taken.delete(number)
  }
}
