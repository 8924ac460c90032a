import type { MediaPacket } from './unit-packets.ts'

/** Of each viewer; a picture of 1 MB, or 4 s of 2 Mbit/s. With what is noted of each packet, they take 16 KB. */
export const MAX_HISTORY_PACKETS = 1024
/** Receivers have given up what is older. */
export const MAX_HISTORY_AGE_MS = 2000

const NO_PACKET: MediaPacket = { payload: Buffer.alloc(0), marker: false, offsetTicks: 0 }

/**
 * The packets that one viewer was sent last, which it may ask for again. They refer to the bytes that all viewers share.
 * Packets are added in order of their sequence numbers, without gaps.
 */
export class PacketHistory {
  readonly #packets: MediaPacket[] = Array.from({ length: MAX_HISTORY_PACKETS }, () => NO_PACKET)
  readonly #timestamps = new Uint32Array(MAX_HISTORY_PACKETS)
  /** When each was sent last, as 32 bits of milliseconds. */
  readonly #sentMs = new Uint32Array(MAX_HISTORY_PACKETS)
  #newest = 0
  #count = 0

  add(sequenceNumber: number, packet: MediaPacket, timestamp: number, nowMs: number): void {
    const slot = sequenceNumber % MAX_HISTORY_PACKETS
    this.#packets[slot] = packet
    this.#timestamps[slot] = timestamp
    this.#sentMs[slot] = nowMs
    this.#newest = sequenceNumber
    if (this.#count < MAX_HISTORY_PACKETS) this.#count += 1
  }

  /**
   * Gives a packet that is to be sent again, and notes that it is; undefined for one that is not kept, is too old, or was
   * sent less than `intervalMs` ago, so that what the receiver asks for is on its way.
   */
  take(sequenceNumber: number, nowMs: number, intervalMs: number): MediaPacket | undefined {
    if (((this.#newest - sequenceNumber) & 0xffff) >= this.#count) return undefined
    const slot = sequenceNumber % MAX_HISTORY_PACKETS
    const ageMs = (nowMs - this.#sentMs[slot]!) >>> 0
    if (ageMs < intervalMs || ageMs > MAX_HISTORY_AGE_MS) return undefined
    this.#sentMs[slot] = nowMs
    return this.#packets[slot]
  }

  /** The RTP time that a packet was sent with. */
  timestampOf(sequenceNumber: number): number {
    return this.#timestamps[sequenceNumber % MAX_HISTORY_PACKETS]!
  }
}
