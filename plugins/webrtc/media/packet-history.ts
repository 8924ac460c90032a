import type { MediaPacket } from './unit-packets.ts'

/** The most packets that are kept for a viewer: a picture of 1 MB, or 4 s of 2 Mbit/s. */
export const MAX_HISTORY_PACKETS = 1024
/** The most units that are kept for a viewer: two seconds of 120 pictures a second. Their notes take 7 KB in all. */
export const MAX_HISTORY_UNITS = 256
/** The age after which receivers have given up a packet. */
export const MAX_HISTORY_AGE_MS = 2000

/** A packet as it was sent, without its header. */
export type SentPacket = { readonly packet: MediaPacket; readonly timestamp: number }

const NO_PACKETS: readonly MediaPacket[] = []

/**
 * The last units sent to one viewer, which may ask for their packets again. They refer to the packets that all viewers share. Units are
 * added in order of the sequence numbers of their packets, without gaps.
 */
export class PacketHistory {
  readonly #units: (readonly MediaPacket[])[] = Array.from({ length: MAX_HISTORY_UNITS }, () => NO_PACKETS)
  /** The number of packets that were sent before each unit. */
  readonly #packetsBefore = new Float64Array(MAX_HISTORY_UNITS)
  readonly #timestamps = new Uint32Array(MAX_HISTORY_UNITS)
  readonly #sentMs = new Float64Array(MAX_HISTORY_UNITS)
  /** The times at which packets were last sent again, by their numbers; allocated at the first repeat. */
  #resentMs: Float64Array | undefined
  #oldest = 0
  #next = 0
  #packetCount = 0
  #nextNumber = 0

  /** @param timestamp the RTP time of the unit; that of a packet is later by its offset */
  add(firstNumber: number, packets: readonly MediaPacket[], timestamp: number, nowMs: number): void {
    const slot = this.#next % MAX_HISTORY_UNITS
    this.#units[slot] = packets
    this.#packetsBefore[slot] = this.#packetCount
    this.#timestamps[slot] = timestamp
    this.#sentMs[slot] = nowMs
    this.#next += 1
    this.#packetCount += packets.length
    this.#nextNumber = firstNumber + packets.length
    while (this.#next - this.#oldest > MAX_HISTORY_UNITS || this.#isBeyondBound) this.#forgetOldest()
  }

  /**
   * Returns a packet that is to be sent again, and notes its time; undefined for one that is not kept, is too old, or was sent less than
   * `intervalMs` ago, so that it is still on its way.
   */
  take(sequenceNumber: number, nowMs: number, intervalMs: number): SentPacket | undefined {
    const back = (this.#nextNumber - sequenceNumber) & 0xffff
    if (back === 0 || back > Math.min(MAX_HISTORY_PACKETS, this.#packetCount)) return undefined
    const index = this.#packetCount - back
    const slot = this.#slotOf(index)
    const packet = slot === undefined ? undefined : this.#units[slot]![index - this.#packetsBefore[slot]!]
    if (slot === undefined || packet === undefined) return undefined
    const resentMs = (this.#resentMs ??= new Float64Array(MAX_HISTORY_PACKETS))
    // A time noted for the former packet in this slot is earlier than the sending of this one.
    const ageMs = nowMs - Math.max(this.#sentMs[slot]!, resentMs[index % MAX_HISTORY_PACKETS]!)
    if (ageMs < intervalMs || ageMs > MAX_HISTORY_AGE_MS) return undefined
    resentMs[index % MAX_HISTORY_PACKETS] = nowMs
    return { packet, timestamp: (this.#timestamps[slot]! + packet.offsetTicks) >>> 0 }
  }

  /** True when the bound is exceeded; the newest unit stays, however large it is. */
  get #isBeyondBound(): boolean {
    const second = this.#oldest + 1
    if (second >= this.#next) return false
    return this.#packetCount - this.#packetsBefore[second % MAX_HISTORY_UNITS]! >= MAX_HISTORY_PACKETS
  }

  #forgetOldest(): void {
    // The slot belongs to the newest unit when all slots are in use.
    if (this.#next - this.#oldest <= MAX_HISTORY_UNITS) this.#units[this.#oldest % MAX_HISTORY_UNITS] = NO_PACKETS
    this.#oldest += 1
  }

  /** The slot of the unit to which a packet belongs. */
  #slotOf(index: number): number | undefined {
    let [first, end] = [this.#oldest, this.#next]
    while (end - first > 1) {
      const middle = Math.floor((first + end) / 2)
      if (this.#packetsBefore[middle % MAX_HISTORY_UNITS]! <= index) first = middle
      else end = middle
    }
    const slot = first % MAX_HISTORY_UNITS
    return first < end && this.#packetsBefore[slot]! <= index ? slot : undefined
  }
}
