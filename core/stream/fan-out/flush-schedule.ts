/** Runs a flush once per window: at the end of this turn of the event loop, or after a number of milliseconds. */
export class FlushSchedule {
  readonly #windowMs: () => number
  readonly #flush: () => void
  #timer: NodeJS.Timeout | undefined
  #turnScheduled = false
  /** True while the timer is for output that waits for the output of other units. */
  #waitsForOthers = false

  /** @param windowMs read when a window begins; 0 is this turn */
  constructor(windowMs: () => number, flush: () => void) {
    this.#windowMs = windowMs
    this.#flush = flush
  }

  /** @param waitMs the time that this output may wait for other output to leave with; 0 for output that does not wait */
  request(waitMs = 0): void {
    const isForOthers = this.#waitsForOthers && waitMs === 0
    if (this.#turnScheduled || (this.#timer !== undefined && !isForOthers)) return
    this.cancel()
    this.#waitsForOthers = waitMs > 0
    const windowMs = Math.max(waitMs, this.#windowMs())
    if (windowMs > 0) {
      this.#timer = setTimeout(this.#flush, windowMs)
      return
    }
    this.#turnScheduled = true
    setImmediate(() => {
      this.#turnScheduled = false
      this.#flush()
    })
  }

  /** Cancels the timer, as the flush has happened or is not to happen: the next request begins a new window. */
  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
