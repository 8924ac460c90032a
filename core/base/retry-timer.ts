/** The longest time between two tries. */
const MAX_RETRY_MS = 30_000

type RetryTimerOptions = {
  /** The time to the first try; each that follows takes twice as long. */
  readonly firstMs: number
  /** The longest time between two tries; 30 s unless given. */
  readonly maxMs?: number
  readonly retry: () => void
}

/** Says when to try again what has failed for a reason outside, such as a port that another program has. */
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
   * Another try is due after a while.
   * @param afterMs how long that is, where it is known; the first time at least
   */
  schedule(afterMs?: number): void {
    clearTimeout(this.#timer)
    const { firstMs, maxMs = MAX_RETRY_MS } = this.#options
    const delayMs = Math.max(firstMs, afterMs ?? Math.min(firstMs * 2 ** this.#failures, maxMs))
    this.#failures += 1
    this.#timer = setTimeout(this.#options.retry, delayMs)
  }

  /** Nothing is to be tried again: it succeeded, or something else is tried. */
  reset(): void {
    clearTimeout(this.#timer)
    this.#failures = 0
  }
}
