/** The bytes that may be sent again for each byte sent: enough for a link that loses two of three packets. */
const REPEATED_SHARE = 2
/** The bytes that may be sent again when nothing else is: when the peer's window is full, or the stream has ended. */
const MIN_BYTES_PER_SECOND = 16 * 1024
/** The smallest capacity of the budget, when fewer bytes wait for an acknowledgement. */
const MIN_CAPACITY_BYTES = 64 * 1024

/**
 * Bounds the bytes sent again by those sent. A peer may report that it misses everything, as often as it likes and at any round trip: its
 * repeats stay a share of the stream.
 */
export class RepeatBudget {
  #capacityBytes = MIN_CAPACITY_BYTES
  #bytes = MIN_CAPACITY_BYTES
  #atUs: number

  constructor(nowUs: number) {
    this.#atUs = nowUs
  }

  /** Returns true when another packet may be sent again. */
  allows(nowUs: number): boolean {
    const seconds = (nowUs - this.#atUs) / 1_000_000
    this.#atUs = nowUs
    this.#add(seconds * MIN_BYTES_PER_SECOND)
    return this.#bytes > 0
  }

  /**
   * Counts bytes that are sent for the first time.
   * @param bufferedBytes the bytes that the peer may miss at once, which are the capacity
   */
  earn(bytes: number, bufferedBytes: number): void {
    this.#capacityBytes = Math.max(MIN_CAPACITY_BYTES, bufferedBytes)
    this.#add(bytes * REPEATED_SHARE)
  }

  spend(bytes: number): void {
    this.#bytes -= bytes
  }

  #add(bytes: number): void {
    this.#bytes = Math.min(this.#capacityBytes, this.#bytes + bytes)
  }
}
