import { MalformedError } from '../../errors.ts'
import { parseTsPacket, TS_PACKET_SIZE_BYTES, TS_SYNC_BYTE } from './packet.ts'
import type { TsPacket } from './packet.ts'

/** The most bytes in a row without a packet before they are refused as no MPEG-TS. */
export const TS_MAX_SKIPPED_BYTES = 256 * 1024

/**
 * Cuts a byte stream into packets as it comes in. After bytes that are no packet, two sync bytes at the distance of a
 * packet show where packets go on. The reader keeps less than two packets between pushes.
 */
export class TsPacketReader {
  #rest: Buffer = Buffer.alloc(0)
  #inSync = true
  #skippedInRow = 0
  #skippedBytes = 0

  /** The number of bytes outside packets. */
  get skippedBytes(): number {
    return this.#skippedBytes
  }

  /** Forgets the packet that was begun: the next bytes are from another place, where a packet need not begin. */
  restart(): void {
    this.#rest = Buffer.alloc(0)
    this.#inSync = false
    this.#skippedInRow = 0
  }

  /**
   * Gives the packets that these bytes complete; their payloads are views.
   * @throws {MalformedError} when there were no packets for `TS_MAX_SKIPPED_BYTES`.
   */
  *push(bytes: Buffer): Generator<TsPacket> {
    const whole = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let offset = 0
    while (whole.length - offset >= TS_PACKET_SIZE_BYTES) {
      const synced = whole[offset] === TS_SYNC_BYTE
      if (synced && !this.#inSync) {
        const next = whole[offset + TS_PACKET_SIZE_BYTES]
        if (next === undefined) break
        this.#inSync = next === TS_SYNC_BYTE
      }
      if (synced && this.#inSync) {
        this.#skippedInRow = 0
        yield parseTsPacket(whole, offset)
        offset += TS_PACKET_SIZE_BYTES
      } else {
        offset = this.#skip(whole, offset)
      }
    }
    // A copy, so that what was pushed can be freed.
    this.#rest = Buffer.from(whole.subarray(offset))
  }

  /** Skips to the next byte that may begin a packet. */
  #skip(whole: Buffer, offset: number): number {
    this.#inSync = false
    const found = whole.indexOf(TS_SYNC_BYTE, offset + 1)
    const next = found < 0 ? whole.length : found
    this.#skippedBytes += next - offset
    this.#skippedInRow += next - offset
    if (this.#skippedInRow > TS_MAX_SKIPPED_BYTES) throw new MalformedError('no MPEG-TS packets found')
    return next
  }
}
