/** The shortest time over which a rate is measured. */
const MIN_INTERVAL_MS = 1000

/** The rate of a count of bytes, between two calls of `sample`. */
export class Bitrate {
  readonly #bytes: () => number
  #sampledBytes = 0
  #sampledMs: number
  #bitsPerSecond = 0

  /** @param nowMs the present time by the clock of {@link Bitrate.sample}, in milliseconds */
  constructor(bytes: () => number, nowMs: number) {
    this.#bytes = bytes
    this.#sampledMs = nowMs
  }

  /** Returns the bits per second since the former sample. */
  sample(nowMs: number): number {
    const intervalMs = nowMs - this.#sampledMs
    if (intervalMs < MIN_INTERVAL_MS) return this.#bitsPerSecond
    const bytes = this.#bytes()
    // A new try counts from 0.
    const grown = bytes >= this.#sampledBytes ? bytes - this.#sampledBytes : bytes
    this.#bitsPerSecond = Math.round((grown * 8 * 1000) / intervalMs)
    this.#sampledBytes = bytes
    this.#sampledMs = nowMs
    return this.#bitsPerSecond
  }
}
