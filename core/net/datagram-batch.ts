import { constants } from 'node:os'
import { ipWords } from 'sluice/sdk/host'
import { MessageHeaders, type MessageTarget } from './message-headers.ts'
import type { SocketCalls } from './socket-calls.ts'
import { BATCH_BYTES, type BatchSocket, type UdpBatch } from './udp-batch.ts'

const { EAGAIN, EINTR, EINVAL, EIO, EMSGSIZE, ENOBUFS, ENOSYS } = constants.errno

/** The most messages of a call, below the 1,024 that the kernel takes (UIO_MAXIOV). */
const MAX_MESSAGES = 512
/** The most datagrams of a message that the kernel cuts (UDP_MAX_SEGMENTS before Linux 6.9). */
const MAX_SEGMENTS = 64
/** The largest payload of an IPv4 packet without options (RFC 791, 768). */
const MAX_MESSAGE_BYTES = 65_507
const MAX_PEERS = 4096
/** The number of consecutive refusals of segmented messages that are due to the system, and not to a single peer's path. */
const MAX_SEGMENT_REFUSALS = 64
/** The kernel's errors about segments: too long for the path, no checksums by the device, or too many. */
const SEGMENT_ERRORS = new Set([EINVAL, EIO, EMSGSIZE])

/**
 * Collects the datagrams of one turn of the event loop, and sends them with few system calls. It serves one socket at a
 * time: when another one sends, the datagrams of the first leave, so that many sockets need no memory of their own.
 */
export class DatagramBatch implements UdpBatch {
  readonly #calls: SocketCalls
  readonly #arena = Buffer.from(new ArrayBuffer(BATCH_BYTES))
  readonly #messages: MessageHeaders
  /** The datagrams of a message that the kernel refused to cut. */
  readonly #singles: MessageHeaders
  /** The peers that were sent to, by port and address; all are forgotten when they are many. */
  readonly #peers = new Map<number, Map<string, MessageTarget>>()
  #peerCount = 0
  #maxSegments: number
  #segmentRefusals = 0
  #isRefused = false
  #socket: BatchSocket | undefined
  #count = 0
  #usedBytes = 0
  #scheduled = false
  readonly #onTurnEnd = () => {
    this.#scheduled = false
    this.flush()
  }

  /** @param segments true when the kernel can cut messages into datagrams */
  constructor(calls: SocketCalls, segments: boolean) {
    this.#calls = calls
    this.#maxSegments = segments ? MAX_SEGMENTS : 1
    this.#messages = new MessageHeaders(calls, MAX_MESSAGES, this.#arena.buffer)
    this.#singles = new MessageHeaders(calls, MAX_SEGMENTS, this.#arena.buffer)
  }

  add(socket: BatchSocket, bytes: Buffer, datagramBytes: number, address: string, port: number): boolean {
    if (this.#socket !== socket) this.#begin(socket)
    const isSendable = datagramBytes > 0 && datagramBytes <= MAX_MESSAGE_BYTES
    const target = isSendable ? this.#targetOf(socket, address, port) : undefined
    if (target === undefined) {
      this.flush()
      return false
    }
    const messageBytes =
      Math.max(1, Math.min(this.#maxSegments, Math.floor(MAX_MESSAGE_BYTES / datagramBytes))) * datagramBytes
    for (let start = this.#extend(bytes, datagramBytes, target); start < bytes.length; start += messageBytes) {
      this.#append(bytes, start, Math.min(start + messageBytes, bytes.length), datagramBytes, target)
    }
    return true
  }

  /** Sends the collected datagrams. */
  flush(): void {
    const socket = this.#socket
    const count = this.#count
    if (socket === undefined || count === 0) return
    this.#count = 0
    this.#usedBytes = 0
    if (this.#isRefused || socket.queuedBytes > 0) this.#queue(socket, this.#messages, 0, count)
    else this.#send(socket, this.#messages, count)
  }

  release(socket: BatchSocket): void {
    if (this.#socket !== socket) return
    this.flush()
    this.#socket = undefined
  }

  #begin(socket: BatchSocket): void {
    this.flush()
    this.#socket = socket
  }

  /**
   * Adds datagrams to the latest message, as far as they fit, where it has datagrams of the same length to the same peer.
   * @returns the number of bytes that were added
   */
  #extend(bytes: Buffer, datagramBytes: number, target: MessageTarget): number {
    const latest = this.#count - 1
    if (latest < 0 || this.#messages.targets[latest] !== target) return 0
    const length = this.#messages.lengths[latest]!
    const segmentBytes = this.#messages.datagramBytes[latest]!
    const isLonger = datagramBytes > segmentBytes || (datagramBytes < segmentBytes && bytes.length > datagramBytes)
    if (isLonger || length % segmentBytes !== 0) return 0
    const maxBytes = Math.min(
      this.#maxSegments * segmentBytes,
      MAX_MESSAGE_BYTES,
      length + BATCH_BYTES - this.#usedBytes,
    )
    const room = Math.floor((maxBytes - length) / segmentBytes) * segmentBytes
    const added = Math.min(room, bytes.length)
    if (added <= 0) return 0
    bytes.copy(this.#arena, this.#usedBytes, 0, added)
    this.#usedBytes += added
    this.#messages.resize(latest, length + added)
    return added
  }

  #append(bytes: Buffer, start: number, end: number, datagramBytes: number, target: MessageTarget): void {
    const length = end - start
    if (this.#count === MAX_MESSAGES || this.#usedBytes + length > BATCH_BYTES) this.flush()
    bytes.copy(this.#arena, this.#usedBytes, start, end)
    this.#messages.write(this.#count, this.#usedBytes, length, datagramBytes, target)
    this.#usedBytes += length
    this.#count += 1
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#onTurnEnd)
  }

  /** @returns true when the system's buffer has room for more */
  #send(socket: BatchSocket, messages: MessageHeaders, count: number): boolean {
    let next = 0
    while (next < count) {
      const result = this.#calls.sendMessages(socket.fd, messages.pointer(next), count - next)
      if (result > 0) {
        next += result
        if (messages.datagramCount(next - 1) > 1) this.#segmentRefusals = 0
        continue
      }
      if (result === -EINTR) continue
      this.#isRefused ||= result === -ENOSYS
      if (this.#isRefused || result === -EAGAIN || result === -ENOBUFS) {
        this.#queue(socket, messages, next, count)
        return false
      }
      if (messages.datagramCount(next) === 1 || !SEGMENT_ERRORS.has(-result))
        socket.refuse(messages.datagramCount(next))
      else if (!this.#sendSingles(socket, next)) {
        this.#queue(socket, messages, next + 1, count)
        return false
      }
      next += 1
    }
    return true
  }

  /** Sends the datagrams of one message as separate messages. */
  #sendSingles(socket: BatchSocket, index: number): boolean {
    this.#segmentRefusals += 1
    if (this.#segmentRefusals === MAX_SEGMENT_REFUSALS) this.#maxSegments = 1
    const { offsets, lengths, datagramBytes, targets } = this.#messages
    const step = datagramBytes[index]!
    const length = lengths[index]!
    let count = 0
    for (let start = 0; start < length; start += step) {
      this.#singles.write(count, offsets[index]! + start, Math.min(step, length - start), step, targets[index]!)
      count += 1
    }
    return this.#send(socket, this.#singles, count)
  }

  /**
   * Hands messages to Node's queue, which waits for room in the system's buffer; it needs a copy of the bytes, as the batch
   * reuses its memory.
   */
  #queue(socket: BatchSocket, messages: MessageHeaders, from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const start = messages.offsets[index]!
      const bytes = Buffer.from(this.#arena.subarray(start, start + messages.lengths[index]!))
      const { address, port } = messages.targets[index]!
      socket.queue(bytes, messages.datagramBytes[index]!, address, port)
    }
  }

  #targetOf(socket: BatchSocket, address: string, port: number): MessageTarget | undefined {
    const known = this.#peers.get(port)?.get(address)
    const target = known ?? this.#remember(address, port)
    return target !== undefined && (target.ip.length === 4) === socket.isIpv6 ? target : undefined
  }

  #remember(address: string, port: number): MessageTarget | undefined {
    const ip = ipWords(address)
    if (ip === undefined) return undefined
    if (this.#peerCount === MAX_PEERS) {
      this.#peers.clear()
      this.#peerCount = 0
    }
    this.#peerCount += 1
    const target = { address, ip, port }
    const addresses = this.#peers.get(port) ?? new Map<string, MessageTarget>()
    this.#peers.set(port, addresses.set(address, target))
    return target
  }
}
