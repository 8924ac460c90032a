import { AsyncLocalStorage } from 'node:async_hooks'
import type { RemoteInfo } from 'node:dgram'
import { sessionClient, type UdpPeer } from 'sluice/sdk'
import type { ListenAddress } from './address.ts'
import { FlowTable, type Flow } from './flow-table.ts'
import { normalizeIp } from './network-list.ts'
import type { Bound } from './port-table.ts'
import type { BufferSizes } from './socket-buffers.ts'
import { UdpSocket, type UdpSocketOptions } from './udp-socket.ts'

/** The receiver of the datagrams of peers without a flow. */
export type UdpPortHandler = {
  /** Returns true when the datagram was for this handler. */
  onDatagram(datagram: Buffer, peer: UdpPeer): boolean
}

/**
 * A UDP port that outlives the generations that use it. A datagram of a peer with a flow goes to the flow; any other is
 * offered to the handlers, the one activated last first.
 */
export class BoundUdpPort implements Bound<UdpPortHandler> {
  readonly #options: Omit<UdpSocketOptions, 'onDatagram'>
  readonly #flows = new FlowTable()
  /**
   * Runs the socket in the async context in which the port was made, so that errors of its datagrams are attributed to the
   * plugin that made it.
   */
  readonly #inContext = AsyncLocalStorage.snapshot()
  #sizes: BufferSizes
  /**
   * The handlers, the latest first. The list is replaced and never changed, as a handler may leave while a datagram is
   * offered.
   */
  #handlers: readonly UdpPortHandler[] = []
  #socket: UdpSocket | undefined
  #closing = false
  /** The sender of the last datagram without a flow, which often sends the next one, too. */
  #lastPeer: UdpPeer = { remoteAddress: '', remotePort: 0 }
  /** The sender's address in the spelling of the socket. */
  #lastAddress = ''

  constructor(options: Omit<UdpSocketOptions, 'onDatagram'>) {
    this.#options = options
    this.#sizes = options.sizes
  }

  get listening(): boolean {
    return this.#socket !== undefined
  }

  get address(): { readonly host: string; readonly port: number } {
    return this.#socket?.address ?? { host: '', port: 0 }
  }

  async listen(address: ListenAddress): Promise<void> {
    const onDatagram = (datagram: Buffer, from: RemoteInfo) => this.#receive(datagram, from)
    const options = { ...this.#options, sizes: this.#sizes, onDatagram }
    this.#socket = await this.#inContext(() => UdpSocket.bind(address, options))
  }

  /** Changes the sizes of the socket's buffers. */
  resize(sizes: BufferSizes): void {
    this.#sizes = sizes
    this.#socket?.resize(sizes)
  }

  activate(handler: UdpPortHandler): void {
    this.#handlers = [handler, ...this.#handlers]
  }

  /** Removes a handler. When the port is being closed, the socket is closed with the last of them. */
  deactivate(handler: UdpPortHandler): void {
    this.#handlers = this.#handlers.filter((other) => other !== handler)
    if (this.#closing) this.close()
  }

  /** Sends the datagrams of a peer to `onDatagram` from now on, before flows of the same peer that were claimed earlier. */
  claim({ remoteAddress, remotePort }: UdpPeer, onDatagram: Flow['onDatagram']): Flow {
    const address = normalizeIp(remoteAddress) ?? remoteAddress
    return this.#flows.add(this.#socket?.spell(address) ?? address, remotePort, onDatagram)
  }

  release(flow: Flow): void {
    this.#flows.remove(flow)
  }

  /** Sends to any peer. */
  send(datagrams: readonly Buffer[], { remoteAddress, remotePort }: UdpPeer): void {
    this.#send(datagrams, this.#socket?.spell(remoteAddress) ?? '', remotePort)
  }

  /** Sends to the peer of a flow. */
  sendTo({ address, port }: Flow, datagrams: readonly Buffer[]): void {
    this.#send(datagrams, address, port)
  }

  /** Sends adjacent datagrams to any peer; see `UdpSocket.sendRun`. */
  sendRun(bytes: Buffer, datagramBytes: number, { remoteAddress, remotePort }: UdpPeer): void {
    this.#sendRun(bytes, datagramBytes, this.#socket?.spell(remoteAddress) ?? '', remotePort)
  }

  /** Sends adjacent datagrams to the peer of a flow. */
  sendRunTo({ address, port }: Flow, bytes: Buffer, datagramBytes: number): void {
    this.#sendRun(bytes, datagramBytes, address, port)
  }

  /** Closes the socket for a while; flows go on when the port listens again. */
  pause(): void {
    this.#socket?.close()
    this.#socket = undefined
  }

  /** Ends the port. The socket is closed when the last handler has left, so that flows can send their last datagrams. */
  close(): void {
    this.#closing = true
    if (this.#handlers.length === 0) this.pause()
  }

  #send(datagrams: readonly Buffer[], address: string, port: number): void {
    if (this.#socket === undefined) this.#options.drops.overflow += datagrams.length
    else this.#socket.send(datagrams, address, port)
  }

  #sendRun(bytes: Buffer, datagramBytes: number, address: string, port: number): void {
    if (!(datagramBytes > 0)) throw new RangeError(`datagrams of ${datagramBytes} bytes can not be sent`)
    if (this.#socket !== undefined) this.#socket.sendRun(bytes, datagramBytes, address, port)
    else this.#options.drops.overflow += Math.ceil(bytes.length / datagramBytes)
  }

  #receive(datagram: Buffer, from: RemoteInfo): void {
    const latest = this.#flows.find(from.address, from.port)
    for (let flow = latest; flow !== undefined; flow = flow.next) if (flow.onDatagram(datagram)) return
    if (!this.#closing && this.#offer(datagram, this.#peerOf(from))) return
    this.#options.drops.unclaimed += 1
  }

  #offer(datagram: Buffer, peer: UdpPeer): boolean {
    for (const handler of this.#handlers) if (handler.onDatagram(datagram, peer)) return true
    return false
  }

  #peerOf({ address, port }: RemoteInfo): UdpPeer {
    if (port !== this.#lastPeer.remotePort || address !== this.#lastAddress) {
      const { ip } = sessionClient({ remoteAddress: address })
      this.#lastAddress = address
      this.#lastPeer = { remoteAddress: ip, remotePort: port }
    }
    return this.#lastPeer
  }
}
