import { loadFfi } from 'sluice/sdk'
import type { PacketArena } from './srtp-context.ts'

/** The largest datagram, and the largest frame of ICE-TCP (RFC 4571 2). */
export const MAX_DATAGRAM_BYTES = 65_535

/** For tags, and words that are authenticated behind a packet. */
const SPARE_BYTES = 64

/** Bigints that are kept: packets of one size lie at the same offsets again and again. */
const MAX_KEPT = 2048

let scratch: PacketArena | undefined

/** Makes the bytes where packets are written one behind the other, each with `SrtpSender.overheadBytes` to spare behind it. */
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

/** A number of bytes as a bigint; those that come again and again are kept. */
export const bigintOf = bigintsFrom(0n)

/** To make a bigint takes several times as long as to find one. */
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

/** One datagram, for what is done to it at once. Nothing in it outlives the call that wrote it. */
export function scratchArena(): PacketArena {
  scratch ??= createPacketArena(MAX_DATAGRAM_BYTES + SPARE_BYTES)
  return scratch
}
