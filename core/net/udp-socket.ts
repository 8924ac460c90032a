import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { errorCode } from '../base/error-code.ts'
import type { ListenAddress } from './address.ts'
import type { BufferSizes, SocketBuffers } from './socket-buffers.ts'
import type { UdpDrops } from './udp-drops.ts'

export type UdpSocketOptions = {
  readonly buffers: SocketBuffers
  readonly sizes: BufferSizes
  readonly drops: UdpDrops
  /** Gets each datagram; it must not throw. */
  readonly onDatagram: (datagram: Buffer, from: RemoteInfo) => void
}

/** What a machine without IPv6 answers to binding `::`. */
const NO_IPV6_CODES = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])
const MAX_PORT = 65_535
const IPV4_IN_IPV6 = '::ffff:'
/** More than this is not kept in this process once the send buffer of the system is full. */
const MAX_SEND_QUEUE_BYTES = 1024 * 1024

/** A bound UDP socket. What can't be sent is counted, and no error of the network ends it. */
export class UdpSocket {
  readonly #socket: Socket
  readonly #isIpv6: boolean
  readonly #buffers: SocketBuffers
  readonly #drops: UdpDrops
  /** One for all datagrams: without it, the runtime would tell of no error. */
  readonly #onSent = (error: Error | null): void => {
    if (error !== null) this.#drops.unsent += 1
  }
  #closed = false

  private constructor(socket: Socket, isIpv6: boolean, { buffers, drops, onDatagram }: UdpSocketOptions) {
    this.#socket = socket
    this.#isIpv6 = isIpv6
    this.#buffers = buffers
    this.#drops = drops
    // An error is one of a datagram, such as the peer's answer that nobody listens there: the socket goes on.
    socket.on('error', this.#onSent)
    socket.on('message', onDatagram)
  }

  /**
   * Binds a socket; without a host it takes IPv6 and IPv4.
   * @throws {Error} with a `code` when the address can't be bound
   */
  static async bind({ host, port }: ListenAddress, options: UdpSocketOptions): Promise<UdpSocket> {
    try {
      return await UdpSocket.#bindTo(host ?? '::', port, options)
    } catch (error) {
      if (host !== null || !NO_IPV6_CODES.has(errorCode(error))) throw error
      return UdpSocket.#bindTo('0.0.0.0', port, options)
    }
  }

  static async #bindTo(host: string, port: number, options: UdpSocketOptions): Promise<UdpSocket> {
    const isIpv6 = host.includes(':')
    // Peers are told by address, and looked up nowhere.
    const socket = createSocket({ type: isIpv6 ? 'udp6' : 'udp4', lookup: (name, _, found) => found(null, name, 0) })
    try {
      const listening = once(socket, 'listening')
      socket.bind(port, host)
      await listening
      const bound = new UdpSocket(socket, isIpv6, options)
      bound.resize(options.sizes)
      return bound
    } catch (error) {
      socket.close()
      throw error
    }
  }

  get address(): { readonly host: string; readonly port: number } {
    const { address, port } = this.#socket.address()
    return { host: address, port }
  }

  /** An address as this socket spells it, when it is of the peers it hears from. */
  spell(address: string): string {
    return this.#isIpv6 && !address.includes(':') ? IPV4_IN_IPV6 + address : address
  }

  /** @param address as `spell` gives it */
  send(datagrams: readonly Buffer[], address: string, port: number): void {
    if (!(port > 0 && port <= MAX_PORT)) {
      this.#drops.unsent += datagrams.length
      return
    }
    if (this.#closed || this.#socket.getSendQueueSize() > MAX_SEND_QUEUE_BYTES) {
      this.#drops.overflow += datagrams.length
      return
    }
    for (const datagram of datagrams) this.#socket.send(datagram, port, address, this.#onSent)
  }

  resize(sizes: BufferSizes): void {
    this.#buffers.resize(this.#socket, sizes)
  }

  /** Frees the port at once. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#socket.close()
  }
}
