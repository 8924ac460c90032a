import { loadFfi } from 'sluice/sdk'
import type { PacketArena } from './srtp-context.ts'

/** The largest datagram, and the largest frame of ICE-TCP (RFC 4571 2). */
export const MAX_DATAGRAM_BYTES = 65_535

/** For tags, and words that are authenticated behind a packet. */
const SPARE_BYTES = 64

let scratch: PacketArena | undefined

/** Makes the bytes where packets are written one behind the other, each with `SrtpSender.overheadBytes` to spare behind it. */
export function createPacketArena(sizeBytes: number): PacketArena {
  // A typed array of its own could lie on the heap, where the collector moves it; an ArrayBuffer stays where it is.
  const memory = new ArrayBuffer(sizeBytes)
  return { bytes: Buffer.from(memory), view: new DataView(memory), pointer: loadFfi()?.getRawPointer(memory) ?? 0n }
}

/** One datagram, for what is done to it at once. Nothing in it outlives the call that wrote it. */
export function scratchArena(): PacketArena {
  scratch ??= createPacketArena(MAX_DATAGRAM_BYTES + SPARE_BYTES)
  return scratch
}
