/** The estimate before the first losses are known. */
const START_BPS = 3_000_000
const MIN_BPS = 100_000
/** The loss below which the link is assumed to carry more, and that above which it carries less (draft-ietf-rmcat-gcc-02 6). */
const LITTLE_LOSS = 0.02
const MUCH_LOSS = 0.1
/** The factor by which an estimate grows from one to the next. */
const GROWTH = 1.08
/** The limit of the estimate relative to the received bitrate, which proves nothing about more. */
const MAX_AHEAD = 1.5

/** Estimates the bandwidth of a sender's link by losses alone, for senders that do not estimate it themselves. */
export class BitrateEstimate {
  #estimateBps = START_BPS
  #receivedBytes = 0
  #sinceMs: number | undefined

  /** Takes the size of a packet that has come. */
  add(sizeBytes: number): void {
    this.#receivedBytes += sizeBytes
  }

  /**
   * Makes the next estimate, in bits a second.
   * @param fractionLost the share of packets lost since the estimate before, 0–1
   */
  next(fractionLost: number, nowMs: number): number {
    const elapsedMs = nowMs - (this.#sinceMs ?? -Infinity)
    const receivedBps = (this.#receivedBytes * 8000) / elapsedMs
    this.#sinceMs = nowMs
    this.#receivedBytes = 0
    if (fractionLost > MUCH_LOSS) this.#estimateBps *= 1 - fractionLost / 2
    else if (fractionLost < LITTLE_LOSS) {
      const highestBps = Math.max(receivedBps * MAX_AHEAD, START_BPS, this.#estimateBps)
      this.#estimateBps = Math.min(this.#estimateBps * GROWTH, highestBps)
    }
    this.#estimateBps = Math.max(this.#estimateBps, MIN_BPS)
    return Math.round(this.#estimateBps)
  }
}
