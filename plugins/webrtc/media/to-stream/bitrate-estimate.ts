/** What a sender may send before anything is known of the way. */
const START_BPS = 3_000_000
const MIN_BPS = 100_000
/** Losses below which the way is taken to carry more, and above which to carry less (draft-ietf-rmcat-gcc-02 6). */
const LITTLE_LOSS = 0.02
const MUCH_LOSS = 0.1
/** By how much an estimate grows from one to the next. */
const GROWTH = 1.08
/** It gets no further ahead of what comes, as that shows nothing about more. */
const MAX_AHEAD = 1.5

/** Estimates by losses alone what the way from a sender can carry, for senders that do not do so by themselves. */
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
   * @param fractionLost of the packets since the estimate before, 0–1
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
