/** A token bucket: lets `bytesPerSecond` bytes pass a second, and one second's worth at once. */
export class ByteAllowance {
  readonly #bytesPerSecond: number
  #leftBytes: number
  #lastMs: number

  /** @param nowMs The time in milliseconds, on the same clock as in `take`. */
  constructor(bytesPerSecond: number, nowMs: number) {
    this.#bytesPerSecond = bytesPerSecond
    this.#leftBytes = bytesPerSecond
    this.#lastMs = nowMs
  }

  /** Returns true and counts the bytes when `sizeBytes` bytes may pass at `nowMs`; else returns false and counts none. */
  take(sizeBytes: number, nowMs: number): boolean {
    const earned = ((nowMs - this.#lastMs) / 1000) * this.#bytesPerSecond
    this.#leftBytes = Math.min(this.#bytesPerSecond, this.#leftBytes + earned)
    this.#lastMs = nowMs
    if (sizeBytes > this.#leftBytes) return false
    this.#leftBytes -= sizeBytes
    return true
  }
}
