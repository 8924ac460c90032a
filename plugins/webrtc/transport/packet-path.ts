import type { Socket } from 'node:net'
import type { DatagramHandler, UdpFlow, UdpPeer } from 'sluice/sdk'
import { candidatePriority } from './ice-candidate.ts'
import type { IcePath } from './ice-pair.ts'
import { canonicalAddress } from './ip-address.ts'
import type { LocalSocket } from './local-sockets.ts'
import { serializeFrames } from './tcp-framing.ts'

/** A path that also carries media. */
export interface PacketPath extends IcePath {
  /** The packets that were not sent, as the peer did not read. */
  readonly droppedPackets: number
  /**
   * Sends consecutive packets, all of the same size but the last one, which may be shorter. The bytes are
   * read before it returns.
   */
  sendRun(bytes: Buffer, packetBytes: number): void
  /** Gives the peer's address up. Idempotent. */
  close(): void
}

/** The most media that may wait for a TCP connection: some half a second of a picture of good quality. */
const MAX_TCP_QUEUE_BYTES = 512 * 1024
/** The most further bytes that may wait: checks and reports, without which the peer takes the session for dead. */
const MAX_TCP_CONTROL_BYTES = 64 * 1024

/** The path from one of the UDP sockets to one address. */
export class UdpPath implements PacketPath {
  readonly transport = 'udp'
  readonly droppedPackets = 0
  readonly localAddress: string
  readonly localPort: number
  readonly localPriority: number
  lastHeardMs = -Infinity
  readonly #socket: LocalSocket
  readonly #peer: UdpPeer
  #flow: UdpFlow | undefined

  constructor(socket: LocalSocket, peer: UdpPeer) {
    this.#socket = socket
    this.#peer = peer
    const { host, port } = socket.listener.address
    this.localAddress = host
    this.localPort = port
    this.localPriority = socket.priority
  }

  get remoteAddress(): string {
    return this.#peer.remoteAddress
  }

  get remotePort(): number {
    return this.#peer.remotePort
  }

  /** Passes the datagrams of the address to `onDatagram` from now on. */
  claim(onDatagram: DatagramHandler): void {
    this.#flow ??= this.#socket.listener.claim(this.#peer, onDatagram)
  }

  send(datagrams: readonly Buffer[]): void {
    if (this.#flow === undefined) this.#socket.listener.send(datagrams, this.#peer)
    else this.#flow.send(datagrams)
  }

  sendRun(bytes: Buffer, packetBytes: number): void {
    this.#flow?.sendRun(bytes, packetBytes)
  }

  close(): void {
    this.#flow?.close()
  }
}

/** A connection that the peer has made (RFC 6544). */
export class TcpPath implements PacketPath {
  readonly transport = 'tcp'
  readonly localAddress: string
  readonly localPort: number
  readonly localPriority = candidatePriority('tcp', 0)
  readonly remoteAddress: string
  readonly remotePort: number
  lastHeardMs = -Infinity
  droppedPackets = 0
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    this.localAddress = canonicalAddress(socket.localAddress ?? '')
    this.localPort = socket.localPort ?? 0
    this.remoteAddress = canonicalAddress(socket.remoteAddress ?? '')
    this.remotePort = socket.remotePort ?? 0
  }

  send(datagrams: readonly Buffer[]): void {
    this.#write(datagrams, MAX_TCP_QUEUE_BYTES + MAX_TCP_CONTROL_BYTES)
  }

  sendRun(bytes: Buffer, packetBytes: number): void {
    this.#write(cut(bytes, packetBytes), MAX_TCP_QUEUE_BYTES)
  }

  #write(packets: readonly Buffer[], maxQueueBytes: number): void {
    if (this.#socket.destroyed || this.#socket.writableLength > maxQueueBytes) this.droppedPackets += packets.length
    else this.#socket.write(serializeFrames(packets))
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Copies the packets, as the bytes are overwritten at once. */
function cut(bytes: Buffer, packetBytes: number): Buffer[] {
  const copy = Buffer.from(bytes)
  const packets: Buffer[] = []
  for (let offset = 0; offset < copy.length; offset += packetBytes)
    packets.push(copy.subarray(offset, offset + packetBytes))
  return packets
}
