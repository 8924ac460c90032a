import type { Socket } from 'node:dgram'
import type { LossyFlow } from './lossy-flow.ts'
import { openPortPair, type PortPair } from './port-pair.ts'

/** The way of a datagram through a relay. */
export type Direction = 'toServer' | 'toClient'

/** The ports of one media, between those of a client and of a server of this machine. */
export class DatagramRelay {
  /** Its port for RTP; the next one is for RTCP. Client and server both talk to it. */
  readonly port: number
  /** Its ports as the client has named them. */
  readonly clientPorts: string
  /** The first of the server's ports, once it has said them. */
  serverPort: number | undefined
  readonly #pair: PortPair
  readonly #flows: Readonly<Record<Direction, LossyFlow>>

  private constructor(pair: PortPair, clientPorts: string, flows: Readonly<Record<Direction, LossyFlow>>) {
    this.#pair = pair
    this.port = pair.port
    this.clientPorts = clientPorts
    this.#flows = flows
    pair.rtp.on('message', (datagram, { port }) => this.#relayRtp(datagram, port))
    pair.rtcp.on('message', (datagram, { port }) => this.#relayRtcp(datagram, port))
  }

  static async open(clientPorts: string, flows: Readonly<Record<Direction, LossyFlow>>): Promise<DatagramRelay> {
    return new DatagramRelay(await openPortPair(), clientPorts, flows)
  }

  /** Sends what is held back. */
  flush(): void {
    for (const direction of ['toServer', 'toClient'] as const) {
      this.#send(this.#pair.rtp, this.#flows[direction].flush(), this.#targetOf(direction))
    }
  }

  close(): void {
    this.#pair.rtp.close()
    this.#pair.rtcp.close()
  }

  #relayRtp(datagram: Buffer, from: number): void {
    const direction = from === this.serverPort ? 'toClient' : 'toServer'
    this.#send(this.#pair.rtp, this.#flows[direction].pushRtp(datagram), this.#targetOf(direction))
  }

  #relayRtcp(datagram: Buffer, from: number): void {
    const direction = from - 1 === this.serverPort ? 'toClient' : 'toServer'
    if (!this.#flows[direction].passesRtcp(datagram)) return
    const target = this.#targetOf(direction)
    this.#send(this.#pair.rtcp, [datagram], target === undefined ? undefined : target + 1)
  }

  #targetOf(direction: Direction): number | undefined {
    return direction === 'toServer' ? this.serverPort : Number.parseInt(this.clientPorts, 10)
  }

  #send(socket: Socket, datagrams: readonly Buffer[], port: number | undefined): void {
    if (port === undefined) return
    for (const datagram of datagrams) socket.send(datagram, port, '127.0.0.1')
  }
}
