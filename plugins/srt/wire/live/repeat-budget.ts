/** What may be sent again for each byte that is sent: enough for a way that loses two of three packets. */
const REPEATED_SHARE = 2
/** What may be saved up, where less waits for the peer to have it. */
const MIN_CAPACITY_BYTES = 64 * 1024

/**
 * Bounds what is sent again by what is sent. A peer may say that it misses everything, as often as it likes and at any round trip:
 * what it gets stays a share of the stream.
 */
export class RepeatBudget {
  #bytes = MIN_CAPACITY_BYTES

  /** Whether another packet may be sent again. */
  get allows(): boolean {
    return this.#bytes > 0
  }

  /**
   * Bytes are sent for the first time.
   * @param bufferedBytes all that the peer may miss at once: that much can be saved up
   */
  earn(bytes: number, bufferedBytes: number): void {
    const capacityBytes = Math.max(MIN_CAPACITY_BYTES, bufferedBytes)
    this.#bytes = Math.min(capacityBytes, this.#bytes + bytes * REPEATED_SHARE)
  }

  spend(bytes: number): void {
    this.#bytes -= bytes
  }
}
