/** How long a delay is remembered, at least, so that a clock that drifts is followed. */
const MEMORY_MS = 15_000
/** A delay is settled once it has not become shorter by more than this for a while. */
const SETTLED_WITHIN_MS = 10
const SETTLED_AFTER_MS = 1000

/**
 * By how much the quickest of the last frames came after its RTP time: what is more than that is jitter, or the time that a
 * large frame takes. The RTP times begin anywhere, so that delays can be compared with each other alone.
 */
export class ShortestDelay {
  #ms = Infinity
  #beforeMs = Infinity
  #sinceMs = 0
  #settledDelayMs = Infinity
  #settledSinceMs = 0

  /** The delay, or undefined as long as shorter ones keep coming, as they do where a source is ahead of time. */
  at(nowMs: number): number | undefined {
    return nowMs - this.#settledSinceMs < SETTLED_AFTER_MS ? undefined : Math.min(this.#ms, this.#beforeMs)
  }

  add(delayMs: number, nowMs: number): void {
    if (nowMs - this.#sinceMs >= MEMORY_MS) {
      this.#beforeMs = this.#ms
      this.#ms = Infinity
      this.#sinceMs = nowMs
    }
    this.#ms = Math.min(this.#ms, delayMs)
    if (delayMs >= this.#settledDelayMs - SETTLED_WITHIN_MS) return
    this.#settledDelayMs = delayMs
    this.#settledSinceMs = nowMs
  }

  /** Forgets all, where the RTP times begin anew. */
  reset(): void {
    this.#ms = Infinity
    this.#beforeMs = Infinity
    this.#settledDelayMs = Infinity
  }
}
