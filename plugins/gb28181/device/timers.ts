/** The time of a device, which tests can hold. */
export type Timers = {
  /** Milliseconds since an epoch of its own. */
  readonly now: () => number
  /** Runs something once after so many milliseconds; returns how to take that back. */
  readonly after: (delayMs: number, run: () => void) => () => void
}

/** The longest time of a timer of Node; what is longer would be over at once. */
const MAX_DELAY_MS = 2 ** 31 - 1

/** The time of the machine. */
export const REAL_TIMERS: Timers = {
  now: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(delayMs, MAX_DELAY_MS))
    return () => clearTimeout(timer)
  },
}

/** Pauses that end early when what they belong to ends. */
export class Pauses {
  readonly #timers: Timers
  readonly #ends = new Set<() => void>()

  constructor(timers: Timers) {
    this.#timers = timers
  }

  /** Waits so many milliseconds; gives false when it was ended early. */
  async wait(delayMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const cancel = this.#timers.after(delayMs, () => resolve(true))
    const end = () => {
      cancel()
      resolve(false)
    }
    this.#ends.add(end)
    const isOver = await promise
    this.#ends.delete(end)
    return isOver
  }

  /** Ends all that go on. */
  end(): void {
    for (const end of this.#ends) end()
  }
}
