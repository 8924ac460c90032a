/** Runs a flush once per window: at the end of this turn of the event loop, or so many milliseconds from now. */
export class FlushSchedule {
  readonly #windowMs: () => number
  readonly #flush: () => void
  #timer: NodeJS.Timeout | undefined
  #turnScheduled = false
  /** Whether the timer is of those that wait for others. */
  #isPatient = false

  /** @param windowMs Read when a window begins; 0 is this turn. */
  constructor(windowMs: () => number, flush: () => void) {
    this.#windowMs = windowMs
    this.#flush = flush
  }

  /** @param waitMs how long those may wait for others with which they are to leave; 0 for the others */
  request(waitMs = 0): void {
    const isForOthers = this.#isPatient && waitMs === 0
    if (this.#turnScheduled || (this.#timer !== undefined && !isForOthers)) return
    this.cancel()
    this.#isPatient = waitMs > 0
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

  /** The flush has happened, or is not to happen: the next request begins a new window. */
  cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
