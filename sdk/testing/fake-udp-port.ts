import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { Logger } from 'pino'
import type { DatagramHandler, UdpFlow, UdpListener, UdpPeer } from '../plugin/udp.ts'

type Claim = { readonly peer: UdpPeer; readonly onDatagram: DatagramHandler }

/** A real UDP socket on the loopback address. */
export class FakeUdpPort implements UdpListener {
  readonly #socket: Socket
  readonly #onDatagram: DatagramHandler
  readonly #log: Logger
  /** The latest first. */
  #claims: readonly Claim[] = []
  #closed = false

  private constructor(socket: Socket, onDatagram: DatagramHandler, log: Logger) {
    this.#socket = socket
    this.#onDatagram = onDatagram
    this.#log = log
    socket.on('error', () => {})
    socket.on('message', (datagram, from) => this.#receive(datagram, from))
  }

  /** @throws {Error} with `code` `EADDRINUSE` and the like */
  static async open(port: number, host: string, onDatagram: DatagramHandler, log: Logger): Promise<FakeUdpPort> {
    const socket = createSocket('udp4')
    try {
      socket.bind(port, host)
      await once(socket, 'listening')
    } catch (error) {
      socket.close()
      throw error
    }
    return new FakeUdpPort(socket, onDatagram, log)
  }

  get address(): UdpListener['address'] {
    if (this.#closed) return { host: '', port: 0 }
    const { address, port } = this.#socket.address()
    return { host: address, port }
  }

  send(datagrams: readonly Buffer[], { remoteAddress, remotePort }: UdpPeer): void {
    if (this.#closed) return
    for (const datagram of datagrams) this.#socket.send(datagram, remotePort, remoteAddress, () => {})
  }

  sendRun(bytes: Buffer, datagramBytes: number, peer: UdpPeer): void {
    if (!(datagramBytes > 0)) throw new RangeError(`datagrams of ${datagramBytes} bytes can not be sent`)
    const kept = Buffer.from(bytes)
    const count = Math.ceil(kept.length / datagramBytes)
    const datagrams = Array.from({ length: count }, (_, index) => {
      return kept.subarray(index * datagramBytes, (index + 1) * datagramBytes)
    })
    this.send(datagrams, peer)
  }

  claim(peer: UdpPeer, onDatagram: DatagramHandler): UdpFlow {
    if (this.#closed) throw new Error('the UDP address was given up')
    const claim = { peer, onDatagram }
    this.#claims = [claim, ...this.#claims]
    return {
      peer,
      send: (datagrams) => {
        if (this.#claims.includes(claim)) this.send(datagrams, peer)
      },
      sendRun: (bytes, datagramBytes) => {
        if (this.#claims.includes(claim)) this.sendRun(bytes, datagramBytes, peer)
      },
      close: () => void (this.#claims = this.#claims.filter((other) => other !== claim)),
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#claims = []
    this.#socket.close()
  }

  #receive(datagram: Buffer, { address, port }: RemoteInfo): void {
    const peer = { remoteAddress: address, remotePort: port }
    for (const { peer: claimed, onDatagram } of this.#claims) {
      if (claimed.remotePort !== port || claimed.remoteAddress !== address) continue
      if (this.#call(onDatagram, datagram, claimed)) return
    }
    this.#call(this.#onDatagram, datagram, peer)
  }

  #call(handler: DatagramHandler, datagram: Buffer, peer: UdpPeer): boolean {
    try {
      return handler(datagram, peer) !== false
    } catch (err) {
      this.#log.error({ err }, 'datagram handler failed')
      return true
    }
  }
}
