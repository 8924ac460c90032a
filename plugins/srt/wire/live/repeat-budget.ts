/** What may be sent again for each byte that is sent: enough for a way that loses two of three packets. */
const REPEATED_SHARE = 2
/** What may be sent again though nothing else is: where the peer's window is full, or the stream is over. */
const MIN_BYTES_PER_SECOND = 16 * 1024
/** What may be saved up, where less waits for the peer to have it. */
const MIN_CAPACITY_BYTES = 64 * 1024

/**
 * Bounds what is sent again by what is sent. A peer may say that it misses everything, as often as it likes and at any round trip:
 * what it gets stays a share of the stream.
 */
export class RepeatBudget {
  #capacityBytes = MIN_CAPACITY_BYTES
  #bytes = MIN_CAPACITY_BYTES
  #atUs: number

  constructor(nowUs: number) {
    this.#atUs = nowUs
  }

  /** Whether another packet may be sent again. */
  allows(nowUs: number): boolean {
    const seconds = (nowUs - this.#atUs) / 1_000_000
    this.#atUs = nowUs
    this.#add(seconds * MIN_BYTES_PER_SECOND)
    return this.#bytes > 0
  }

  /**
   * Bytes are sent for the first time.
   * @param bufferedBytes all that the peer may miss at once: that much can be saved up
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
