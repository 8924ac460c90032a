import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { errorCode } from 'sluice/sdk'
import type { ListenAddress } from './address.ts'
import type { BufferSizes, SocketBuffers } from './socket-buffers.ts'
import type { BatchSocket, UdpBatch } from './udp-batch.ts'
import type { UdpDrops } from './udp-drops.ts'
import type { UdpSending } from './udp-sending.ts'

export type UdpSocketOptions = {
  readonly sending: UdpSending
  readonly buffers: SocketBuffers
  readonly sizes: BufferSizes
  readonly drops: UdpDrops
  /** Called with each datagram; it must not throw. */
  readonly onDatagram: (datagram: Buffer, from: RemoteInfo) => void
}

/** Error codes of machines without IPv6 for binding `::`. */
const NO_IPV6_CODES = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL'])
const MAX_PORT = 65_535
const IPV4_IN_IPV6 = '::ffff:'
/** The most bytes that are kept in this process once the send buffer of the system is full. */
const MAX_SEND_QUEUE_BYTES = 1024 * 1024

/** A bound UDP socket. Datagrams that can't be sent are counted, and no error of the network ends it. */
export class UdpSocket {
  readonly #socket: Socket
  readonly #isIpv6: boolean
  readonly #batch: UdpBatch
  /** The interface of this socket for the batch. */
  readonly #inBatch: BatchSocket
  readonly #buffers: SocketBuffers
  readonly #drops: UdpDrops
  #closed = false

  private constructor(
    socket: Socket,
    isIpv6: boolean,
    fd: number | undefined,
    { sending, buffers, drops, onDatagram }: UdpSocketOptions,
  ) {
    this.#socket = socket
    this.#isIpv6 = isIpv6
    this.#batch = sending.batchFor(fd)
    this.#inBatch = this.#asBatchSocket(fd ?? -1)
    this.#buffers = buffers
    this.#drops = drops
    // An error is about one datagram, such as an ICMP answer that the peer's port is closed: the socket goes on.
    socket.on('error', () => void (drops.unsent += 1))
    socket.on('message', onDatagram)
  }

  /**
   * Binds a socket; without a host it receives IPv6 and IPv4.
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
    // All peers are given by address, so the look-up returns the address as it is.
    const socket = createSocket({ type: isIpv6 ? 'udp6' : 'udp4', lookup: (name, _, found) => found(null, name, 0) })
    try {
      const listening = once(socket, 'listening')
      const fd = options.sending.bind(socket, host, port)
      await listening
      const bound = new UdpSocket(socket, isIpv6, fd, options)
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

  /** Returns an address in the spelling of this socket, in which IPv4 may be mapped into IPv6. */
  spell(address: string): string {
    return this.#isIpv6 && !address.includes(':') ? IPV4_IN_IPV6 + address : address
  }

  /** @param address the address as `spell` returns it */
  send(datagrams: readonly Buffer[], address: string, port: number): void {
    if (!this.#canSend(datagrams.length, port)) return
    for (const datagram of datagrams) {
      if (this.#batch.add(this.#inBatch, datagram, datagram.length, address, port)) continue
      this.#queue(datagram, datagram.length, address, port)
    }
  }

  /**
   * Sends adjacent datagrams, all `datagramBytes` long but the last, which may be shorter. The bytes are read before it
   * returns.
   * @param address the address as `spell` returns it
   */
  sendRun(bytes: Buffer, datagramBytes: number, address: string, port: number): void {
    if (bytes.length === 0 || !this.#canSend(Math.ceil(bytes.length / datagramBytes), port)) return
    if (this.#batch.add(this.#inBatch, bytes, datagramBytes, address, port)) return
    this.#queue(Buffer.from(bytes), datagramBytes, address, port)
  }

  resize(sizes: BufferSizes): void {
    this.#buffers.resize(this.#socket, sizes)
  }

  /** Frees the port at once; datagrams that were sent before still leave. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#batch.release(this.#inBatch)
    this.#socket.close()
  }

  #asBatchSocket(fd: number): BatchSocket {
    const socket = this.#socket
    return {
      fd,
      isIpv6: this.#isIpv6,
      get queuedBytes() {
        return socket.getSendQueueSize()
      },
      queue: (bytes, datagramBytes, address, port) => this.#queue(bytes, datagramBytes, address, port),
      refuse: (count) => void (this.#drops.unsent += count),
    }
  }

  #canSend(count: number, port: number): boolean {
    const isPort = port > 0 && port <= MAX_PORT
    if (!isPort) this.#drops.unsent += count
    else if (this.#closed) this.#drops.overflow += count
    return isPort && !this.#closed
  }

  /**
   * Sends datagrams by Node. The result of the first is counted for all: they take the same route, and each callback costs a
   * turn.
   */
  #queue(bytes: Buffer, datagramBytes: number, address: string, port: number): void {
    const socket = this.#socket
    const count = Math.max(1, Math.ceil(bytes.length / datagramBytes))
    if (socket.getSendQueueSize() > MAX_SEND_QUEUE_BYTES) {
      this.#drops.overflow += count
      return
    }
    const onSent = (error: Error | null) => {
      if (error !== null) this.#drops.unsent += count
    }
    socket.send(bytes.subarray(0, datagramBytes), port, address, onSent)
    for (let at = datagramBytes; at < bytes.length; at += datagramBytes) {
      socket.send(bytes.subarray(at, at + datagramBytes), port, address)
    }
  }
}
