import type { MediaPacket } from './unit-packets.ts'

/** Of each viewer; a picture of 1 MB, or 4 s of 2 Mbit/s. */
export const MAX_HISTORY_PACKETS = 1024
/** Of each viewer; two seconds of 120 pictures a second. What is noted of each takes 7 KB in all. */
export const MAX_HISTORY_UNITS = 256
/** Receivers have given up what is older. */
export const MAX_HISTORY_AGE_MS = 2000

/** A packet as it was sent, but for its header. */
export type SentPacket = { readonly packet: MediaPacket; readonly timestamp: number }

const NO_PACKETS: readonly MediaPacket[] = []

/**
 * The units that one viewer was sent last, whose packets it may ask for again. They refer to the packets that all viewers
 * share. Units are added in order of the sequence numbers of their packets, without gaps.
 */
export class PacketHistory {
  readonly #units: (readonly MediaPacket[])[] = Array.from({ length: MAX_HISTORY_UNITS }, () => NO_PACKETS)
  /** How many packets were sent before each unit. */
  readonly #packetsBefore = new Float64Array(MAX_HISTORY_UNITS)
  readonly #timestamps = new Uint32Array(MAX_HISTORY_UNITS)
  readonly #sentMs = new Float64Array(MAX_HISTORY_UNITS)
  /** When packets were sent again last, by their numbers; viewers that lose nothing need none. */
  #resentMs: Float64Array | undefined
  #oldest = 0
  #next = 0
  #packetCount = 0
  #nextNumber = 0

  /** @param timestamp of the unit: that of a packet is later by its offset */
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
   * Gives a packet that is to be sent again, and notes that it is; undefined for one that is not kept, is too old, or was
   * sent less than `intervalMs` ago, so that what the receiver asks for is on its way.
   */
  take(sequenceNumber: number, nowMs: number, intervalMs: number): SentPacket | undefined {
    const back = (this.#nextNumber - sequenceNumber) & 0xffff
    if (back === 0 || back > Math.min(MAX_HISTORY_PACKETS, this.#packetCount)) return undefined
    const index = this.#packetCount - back
    const slot = this.#slotOf(index)
    const packet = slot === undefined ? undefined : this.#units[slot]![index - this.#packetsBefore[slot]!]
    if (slot === undefined || packet === undefined) return undefined
    const resentMs = (this.#resentMs ??= new Float64Array(MAX_HISTORY_PACKETS))
    // What was noted of the packet that had the place before is from before this one was sent.
    const ageMs = nowMs - Math.max(this.#sentMs[slot]!, resentMs[index % MAX_HISTORY_PACKETS]!)
    if (ageMs < intervalMs || ageMs > MAX_HISTORY_AGE_MS) return undefined
    resentMs[index % MAX_HISTORY_PACKETS] = nowMs
    return { packet, timestamp: (this.#timestamps[slot]! + packet.offsetTicks) >>> 0 }
  }

  /** The newest unit stays, however large it is. */
  get #isBeyondBound(): boolean {
    const second = this.#oldest + 1
    if (second >= this.#next) return false
    return this.#packetCount - this.#packetsBefore[second % MAX_HISTORY_UNITS]! >= MAX_HISTORY_PACKETS
  }

  #forgetOldest(): void {
    // The place is the newest unit's where all places are taken.
    if (this.#next - this.#oldest <= MAX_HISTORY_UNITS) this.#units[this.#oldest % MAX_HISTORY_UNITS] = NO_PACKETS
    this.#oldest += 1
  }

  /** Where the unit is that the packet is of. */
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
