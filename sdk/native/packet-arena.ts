import { loadFfi } from './ffi.ts'

/** Bytes that packets are encrypted in, the same for all sessions: each packet is sent before the next one is written. */
export type PacketArena = {
  readonly bytes: Buffer
  /** The same bytes. */
  readonly view: DataView
  /**
   * The address of the bytes, for C functions; 0 without node:ffi. It is valid as long as `bytes` is referenced, and only
   * {@link createPacketArena} makes it. Addresses of user space have less than 53 bits.
   */
  readonly address: number
  /** Returns the address of the byte at an offset, as an argument of C functions. */
  pointerTo(offset: number): bigint
}

/** The largest datagram, in bytes, and the largest frame of ICE-TCP (RFC 4571 2). */
export const MAX_DATAGRAM_BYTES = 65_535

/** The room for tags, and for words that are authenticated behind a packet. */
const SPARE_BYTES = 64

/** Bigints that are kept: packets of one size lie at the same offsets again and again. */
const MAX_KEPT = 2048

let scratch: PacketArena | undefined

/** Makes the bytes where packets are written one behind the other, each with the room behind it that its encryption needs. */
export function createPacketArena(sizeBytes: number): PacketArena {
  // A typed array of its own could lie on the heap, where the collector moves it; an ArrayBuffer stays where it is.
  const memory = new ArrayBuffer(sizeBytes)
  const start = loadFfi()?.getRawPointer(memory) ?? 0n
  return {
    bytes: Buffer.from(memory),
    view: new DataView(memory),
    address: Number(start),
    pointerTo: bigintsFrom(start),
  }
}

/** A number of bytes as a bigint, for C functions; those that come again and again are kept. */
export const bigintOf = bigintsFrom(0n)

/** Returns a function that keeps its bigints: a bigint takes several times as long to make as to find. */
function bigintsFrom(start: bigint): (offset: number) => bigint {
  const kept = new Map<number, bigint>()
  return (offset) => {
    const known = kept.get(offset)
    if (known !== undefined) return known
    const sum = start + BigInt(offset)
    if (kept.size < MAX_KEPT) kept.set(offset, sum)
    return sum
  }
}

/** Returns an arena of one datagram and 64 bytes, for work that is done at once. Its contents do not outlive the call that wrote them. */
export function scratchArena(): PacketArena {
  scratch ??= createPacketArena(MAX_DATAGRAM_BYTES + SPARE_BYTES)
  return scratch
}
