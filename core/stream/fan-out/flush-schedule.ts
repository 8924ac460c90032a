/** Runs a flush once per window: at the end of this turn of the event loop, or so many milliseconds from now. */
export class FlushSchedule {
  readonly #windowMs: () => number
  readonly #flush: () => void
  #timer: NodeJS.Timeout | undefined
  #turnScheduled = false

  /** @param windowMs Read when a window begins; 0 is this turn. */
  constructor(windowMs: () => number, flush: () => void) {
    this.#windowMs = windowMs
    this.#flush = flush
  }

  request(): void {
    if (this.#turnScheduled || this.#timer !== undefined) return
    const windowMs = this.#windowMs()
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
