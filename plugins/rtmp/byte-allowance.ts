/** Lets so many bytes a second pass, and a second's worth at once. */
export class ByteAllowance {
  readonly #bytesPerSecond: number
  #leftBytes: number
  #lastMs: number

  /** @param nowMs On the clock that `take` is given. */
  constructor(bytesPerSecond: number, nowMs: number) {
    this.#bytesPerSecond = bytesPerSecond
    this.#leftBytes = bytesPerSecond
    this.#lastMs = nowMs
  }

  /** Whether so many bytes may pass now; they are counted if so. */
  take(sizeBytes: number, nowMs: number): boolean {
    const earned = ((nowMs - this.#lastMs) / 1000) * this.#bytesPerSecond
    this.#leftBytes = Math.min(this.#bytesPerSecond, this.#leftBytes + earned)
    this.#lastMs = nowMs
    if (sizeBytes > this.#leftBytes) return false
    this.#leftBytes -= sizeBytes
    return true
  }
}
