/** The longest time between two tries. */
const MAX_RETRY_MS = 30_000

type RetryTimerOptions = {
  /** The time to the first try; each further wait is twice as long. */
  readonly firstMs: number
  /** The longest time between two tries. Default 30 s. */
  readonly maxMs?: number
  readonly retry: () => void
}

/** Schedules the next try of work that has failed for a reason outside, such as a port that another program has. */
export class RetryTimer {
  readonly #options: RetryTimerOptions
  #failures = 0
  #timer: NodeJS.Timeout | undefined

  constructor(options: RetryTimerOptions) {
    this.#options = options
  }

  /** True from the first failure to the next reset. */
  get retrying(): boolean {
    return this.#failures > 0
  }

  /**
   * Schedules another try.
   * @param afterMs the delay in milliseconds, where it is known; `firstMs` at least
   */
  schedule(afterMs?: number): void {
    clearTimeout(this.#timer)
    const { firstMs, maxMs = MAX_RETRY_MS } = this.#options
    const delayMs = Math.max(firstMs, afterMs ?? Math.min(firstMs * 2 ** this.#failures, maxMs))
    this.#failures += 1
    this.#timer = setTimeout(this.#options.retry, delayMs)
  }

  /** Cancels the next try and forgets the failures, as the work has succeeded or other work is tried. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#failures = 0
  }
}
