import { socketAddressWords, writeSocketAddress, type SocketCalls } from './socket-calls.ts'

// `struct mmsghdr` of 64-bit Linux, in words of 32 bits (sendmmsg(2), recvmsg(2)).
const HEADER_WORDS = 16
const NAME = 0
const NAME_LENGTH = 2
const VECTOR = 4
const VECTOR_COUNT = 6
const CONTROL = 8
const CONTROL_LENGTH = 10
// `struct iovec`
const VECTOR_WORDS = 4
const VECTOR_BASE = 0
const VECTOR_LENGTH = 2
/** The size of a `sockaddr_in6`, aligned to 8 bytes. */
const ADDRESS_WORDS = 8
// `struct cmsghdr` with the 16 bits of UDP_SEGMENT (cmsg(3), udp(7)).
const CONTROL_WORDS = 6
const CONTROL_SIZE_BYTES = CONTROL_WORDS * 4
const CONTROL_USED_BYTES = 18
const SOL_UDP = 17
const UDP_SEGMENT = 103

const SLOT_WORDS = HEADER_WORDS + VECTOR_WORDS + ADDRESS_WORDS + CONTROL_WORDS
const WORD_BYTES = 4
const HEADER_BYTES = HEADER_WORDS * WORD_BYTES
const HIGH_WORD = 2 ** 32

/** The peer that a message goes to. */
export type MessageTarget = { readonly address: string; readonly ip: Uint32Array; readonly port: number }

/** The headers of messages in memory as `sendmmsg` reads it, and the details of each that are needed when it can't be sent. */
export class MessageHeaders {
  readonly #words: Uint32Array<ArrayBuffer>
  readonly #pointer: bigint
  readonly #arena: number
  readonly #vectors: number
  readonly #addresses: number
  readonly #controls: number
  readonly offsets: Uint32Array
  readonly lengths: Uint32Array
  /** The length of the datagrams of a message; the last may be shorter. */
  readonly datagramBytes: Uint16Array
  readonly targets: MessageTarget[] = []

  /** @param arena the memory of the messages' bytes */
  constructor(calls: SocketCalls, capacity: number, arena: ArrayBuffer) {
    this.#words = new Uint32Array(capacity * SLOT_WORDS)
    this.#pointer = calls.pointerTo(this.#words.buffer)
    this.#arena = Number(calls.pointerTo(arena))
    this.#vectors = capacity * HEADER_WORDS
    this.#addresses = this.#vectors + capacity * VECTOR_WORDS
    this.#controls = this.#addresses + capacity * ADDRESS_WORDS
    this.offsets = new Uint32Array(capacity)
    this.lengths = new Uint32Array(capacity)
    this.datagramBytes = new Uint16Array(capacity)
    for (let index = 0; index < capacity; index += 1) this.#prepare(index)
  }

  /** Writes the header of a message of one datagram or more. */
  write(index: number, offset: number, length: number, datagramBytes: number, target: MessageTarget): void {
    const words = this.#words
    this.offsets[index] = offset
    this.datagramBytes[index] = datagramBytes
    this.targets[index] = target
    writeSocketAddress(words, this.#addresses + index * ADDRESS_WORDS, target.ip, target.port)
    words[index * HEADER_WORDS + NAME_LENGTH] = socketAddressWords(target.ip) * WORD_BYTES
    this.#setPointer(this.#vectors + index * VECTOR_WORDS + VECTOR_BASE, this.#arena + offset)
    words[this.#controls + index * CONTROL_WORDS + 4] = datagramBytes
    this.resize(index, length)
  }

  /** Changes the length of a message, in bytes. */
  resize(index: number, length: number): void {
    this.lengths[index] = length
    this.#words[this.#vectors + index * VECTOR_WORDS + VECTOR_LENGTH] = length
    const isSegmented = length > this.datagramBytes[index]!
    this.#words[index * HEADER_WORDS + CONTROL_LENGTH] = isSegmented ? CONTROL_SIZE_BYTES : 0
  }

  datagramCount(index: number): number {
    return Math.ceil(this.lengths[index]! / this.datagramBytes[index]!)
  }

  /** The address of the header at an index, and of those behind it. */
  pointer(index: number): bigint {
    return index === 0 ? this.#pointer : this.#pointer + BigInt(index * HEADER_BYTES)
  }

  /** Writes the fields that are the same for each message at an index. */
  #prepare(index: number): void {
    const header = index * HEADER_WORDS
    const vector = this.#vectors + index * VECTOR_WORDS
    const address = this.#addresses + index * ADDRESS_WORDS
    const control = this.#controls + index * CONTROL_WORDS
    const first = Number(this.#pointer)
    this.#setPointer(header + NAME, first + address * WORD_BYTES)
    this.#setPointer(header + VECTOR, first + vector * WORD_BYTES)
    this.#setPointer(header + CONTROL, first + control * WORD_BYTES)
    this.#words[header + VECTOR_COUNT] = 1
    this.#words[control] = CONTROL_USED_BYTES
    this.#words[control + 2] = SOL_UDP
    this.#words[control + 3] = UDP_SEGMENT
  }

  /** Writes a pointer; addresses of user space have less than 53 bits. */
  #setPointer(at: number, pointer: number): void {
    this.#words[at] = pointer % HIGH_WORD
    this.#words[at + 1] = Math.floor(pointer / HIGH_WORD)
  }
}
