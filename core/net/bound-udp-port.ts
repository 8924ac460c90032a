import { AsyncLocalStorage } from 'node:async_hooks'
import type { RemoteInfo } from 'node:dgram'
import { sessionClient, type UdpPeer } from 'sluice/sdk'
import type { ListenAddress } from './address.ts'
import { FlowTable, type Flow } from './flow-table.ts'
import { normalizeIp } from './network-list.ts'
import type { Bound } from './port-table.ts'
import type { BufferSizes } from './socket-buffers.ts'
import { UdpSocket, type UdpSocketOptions } from './udp-socket.ts'

/** Who takes the datagrams of peers that nobody has claimed. */
export type UdpPortHandler = {
  /** Answers whether the datagram was for this one. */
  onDatagram(datagram: Buffer, peer: UdpPeer): boolean
}

/**
 * A UDP port that outlives those who use it. A datagram of a claimed peer goes to who claimed it; any other is offered to
 * the handlers, the one activated last first.
 */
export class BoundUdpPort implements Bound<UdpPortHandler> {
  readonly #options: Omit<UdpSocketOptions, 'onDatagram'>
  readonly #flows = new FlowTable()
  /** What its datagrams begin goes on as the work of who made the port, whose error it is when that fails. */
  readonly #inContext = AsyncLocalStorage.snapshot()
  #sizes: BufferSizes
  /** The latest first. Replaced and never changed, as one may leave while they are asked. */
  #handlers: readonly UdpPortHandler[] = []
  #socket: UdpSocket | undefined
  #closing = false
  /** Who sent the last datagram that was not claimed, and often sends the next one, too. */
  #lastPeer: UdpPeer = { remoteAddress: '', remotePort: 0 }
  /** Its address as the socket spells it. */
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

  /** Other sizes hold from now on. */
  resize(sizes: BufferSizes): void {
    this.#sizes = sizes
    this.#socket?.resize(sizes)
  }

  activate(handler: UdpPortHandler): void {
    this.#handlers = [handler, ...this.#handlers]
  }

  /** The handler is asked no more. Where the port is being closed, the socket goes with the last of them. */
  deactivate(handler: UdpPortHandler): void {
    this.#handlers = this.#handlers.filter((other) => other !== handler)
    if (this.#closing) this.close()
  }

  /** Its datagrams go to `onDatagram` from now on, before flows of the same peer that were claimed earlier. */
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

  /** Sends to any peer datagrams that lie behind each other, as `UdpSocket.sendRun` has them. */
  sendRun(bytes: Buffer, datagramBytes: number, { remoteAddress, remotePort }: UdpPeer): void {
    this.#sendRun(bytes, datagramBytes, this.#socket?.spell(remoteAddress) ?? '', remotePort)
  }

  /** The same to the peer of a flow. */
  sendRunTo({ address, port }: Flow, bytes: Buffer, datagramBytes: number): void {
    this.#sendRun(bytes, datagramBytes, address, port)
  }

  /** Gives the port up for a while; flows go on when it listens again. */
  pause(): void {
    this.#socket?.close()
    this.#socket = undefined
  }

  /** Takes no new peers. The socket is closed when the last handler has left, so that flows can take their leave. */
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
