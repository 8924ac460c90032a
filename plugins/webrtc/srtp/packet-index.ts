const SEQUENCE_NUMBERS = 0x10000
const HALF = 0x8000

/** The highest index of an RTP packet: a key serves for 2^48 packets (RFC 3711 9.2). */
export const MAX_RTP_INDEX = 2 ** 48 - 1
/** The highest index of an SRTCP packet (RFC 3711 3.4). */
export const MAX_RTCP_INDEX = 2 ** 31 - 1

/**
 * The distance from the newest packet within which a packet is accepted: at 2 Mbit/s some ten seconds, so that repeats still pass. A power
 * of two, as indexes are masked with it.
 */
export const REPLAY_WINDOW_PACKETS = 2048

/**
 * Finds the index of a packet, which is its sequence number with the count of its wraps above (RFC 3711 3.3.1, appendix A).
 * @param highestIndex the index of the newest packet, negative when there was none
 * @returns the index, negative for a packet from before the first wrap
 */
export function estimateIndex(highestIndex: number, sequenceNumber: number): number {
  if (highestIndex < 0) return sequenceNumber
  const highestSequenceNumber = highestIndex % SEQUENCE_NUMBERS
  const wraps = highestIndex - highestSequenceNumber
  const difference = sequenceNumber - highestSequenceNumber
  if (highestSequenceNumber < HALF) return wraps + sequenceNumber - (difference > HALF ? SEQUENCE_NUMBERS : 0)
  return wraps + sequenceNumber + (difference < -HALF ? SEQUENCE_NUMBERS : 0)
}

/** The packets that have already come (RFC 3711 3.3.2). */
export class ReplayWindow {
  readonly #seen = new Int32Array(REPLAY_WINDOW_PACKETS / 32)
  #highestIndex = -1

  /** The index of the newest packet; negative before the first. */
  get highestIndex(): number {
    return this.#highestIndex
  }

  /** True for a packet that has not come and is not too old to know. */
  isNew(index: number): boolean {
    if (index > this.#highestIndex) return true
    if (index <= this.#highestIndex - REPLAY_WINDOW_PACKETS) return false
    const bit = index & (REPLAY_WINDOW_PACKETS - 1)
    return (this.#seen[bit >> 5]! & (1 << (bit & 31))) === 0
  }

  /** Notes a packet that was authentic. */
  add(index: number): void {
    if (index > this.#highestIndex) this.#moveTo(index)
    else if (index <= this.#highestIndex - REPLAY_WINDOW_PACKETS) return
    const bit = index & (REPLAY_WINDOW_PACKETS - 1)
    this.#seen[bit >> 5]! |= 1 << (bit & 31)
  }

  #moveTo(index: number): void {
    if (index - this.#highestIndex >= REPLAY_WINDOW_PACKETS) this.#seen.fill(0)
    else for (let next = this.#highestIndex + 1; next <= index; next++) this.#forget(next)
    this.#highestIndex = index
  }

  #forget(index: number): void {
    const bit = index & (REPLAY_WINDOW_PACKETS - 1)
    this.#seen[bit >> 5]! &= ~(1 << (bit & 31))
  }
}
