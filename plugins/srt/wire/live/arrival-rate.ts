const WINDOW_US = 1_000_000

/** The rate at which packets come, for the sender by acknowledgements (draft-sharabayko-srt-01 3.2.4). */
export class ArrivalRate {
  #startUs: number
  #packets = 0
  #bytes = 0
  #packetsPerSecond = 0
  #bytesPerSecond = 0

  constructor(nowUs: number) {
    this.#startUs = nowUs
  }

  get packetsPerSecond(): number {
    return this.#packetsPerSecond
  }

  get bytesPerSecond(): number {
    return this.#bytesPerSecond
  }

  count(bytes: number, nowUs: number): void {
    this.#packets += 1
    this.#bytes += bytes
    this.tick(nowUs)
  }

  /** Computes the rate when the interval is over, even when no more packets come. */
  tick(nowUs: number): void {
    const elapsedUs = nowUs - this.#startUs
    if (elapsedUs < WINDOW_US) return
    this.#packetsPerSecond = Math.round((this.#packets * 1_000_000) / elapsedUs)
    this.#bytesPerSecond = Math.round((this.#bytes * 1_000_000) / elapsedUs)
    this.#startUs = nowUs
    this.#packets = 0
    this.#bytes = 0
  }
}
