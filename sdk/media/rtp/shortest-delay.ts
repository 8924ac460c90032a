/** The time for which a delay is remembered, at least, so that a clock that drifts is followed. */
const MEMORY_MS = 15_000
/** The same for the newest delays, which show the present offset of a clock with another pace than its rate. */
const RECENT_MS = 1000
/** A delay is settled once it has not become shorter by more than this for a while. */
const SETTLED_WITHIN_MS = 10
const SETTLED_AFTER_MS = 1000

/**
 * The shortest delay of the last frames after their RTP times: more than that is jitter, or the time that a large frame
 * takes. The RTP times begin anywhere, so that delays can be compared with each other alone.
 */
export class ShortestDelay {
  readonly #all = new Minimum(MEMORY_MS)
  readonly #recent = new Minimum(RECENT_MS)
  #settledDelayMs = Infinity
  #settledSinceMs = 0

  /** The delay, or undefined as long as shorter ones keep coming, as they do where a source is ahead of time. */
  at(nowMs: number): number | undefined {
    return nowMs - this.#settledSinceMs < SETTLED_AFTER_MS ? undefined : this.#all.value
  }

  /** The shortest delay of the last 1 to 2 s alone, be it settled or not. */
  get recent(): number {
    return this.#recent.value
  }

  add(delayMs: number, nowMs: number): void {
    this.#all.add(delayMs, nowMs)
    this.#recent.add(delayMs, nowMs)
    if (delayMs >= this.#settledDelayMs - SETTLED_WITHIN_MS) return
    this.#settledDelayMs = delayMs
    this.#settledSinceMs = nowMs
  }

  /** Forgets all, where the RTP times begin anew. */
  reset(): void {
    this.#all.reset()
    this.#recent.reset()
    this.#settledDelayMs = Infinity
  }
}

/** The least of the values that came within a time, or up to twice that time. */
class Minimum {
  readonly #memoryMs: number
  #value = Infinity
  #before = Infinity
  #sinceMs = 0

  constructor(memoryMs: number) {
    this.#memoryMs = memoryMs
  }

  get value(): number {
    return Math.min(this.#value, this.#before)
  }

  add(value: number, nowMs: number): void {
    if (nowMs - this.#sinceMs >= this.#memoryMs) {
      this.#before = this.#value
      this.#value = Infinity
      this.#sinceMs = nowMs
    }
    this.#value = Math.min(this.#value, value)
  }

  reset(): void {
    this.#value = Infinity
    this.#before = Infinity
  }
}
