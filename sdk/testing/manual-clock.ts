type Timer = { readonly id: number; dueMs: number; readonly everyMs: number | undefined; readonly run: () => void }

/** A timer of a {@link ManualClock}. */
export type ManualTimer = { readonly id: number }

/** A clock that stands still until the test moves it. */
export class ManualClock {
  #nowMs: number
  #nextId = 1
  #timers: Timer[] = []

  /** @param startMs What it shows at first; default 0. */
  constructor(startMs = 0) {
    this.#nowMs = startMs
  }

  /** Milliseconds since an epoch of its own. A function's property, so that it can be passed on as `now`. */
  readonly now = (): number => this.#nowMs

  /** Timers that have not run out. */
  get pending(): number {
    return this.#timers.length
  }

  readonly setTimeout = (run: () => void, delayMs: number): ManualTimer => this.#add(run, delayMs, undefined)

  readonly setInterval = (run: () => void, everyMs: number): ManualTimer =>
    this.#add(run, everyMs, Math.max(1, everyMs))

  /** Stops a timeout or an interval. */
  readonly clear = (timer: ManualTimer | undefined): void => {
    this.#timers = this.#timers.filter((other) => other.id !== timer?.id)
  }

  /** Moves the time on and runs the timers that are due, in the order of their times; `now` shows each timer's own time. */
  advance(durationMs: number): void {
    const endMs = this.#nowMs + durationMs
    for (let timer = this.#nextDue(endMs); timer !== undefined; timer = this.#nextDue(endMs)) {
      this.#nowMs = timer.dueMs
      if (timer.everyMs === undefined) this.clear(timer)
      else timer.dueMs += timer.everyMs
      timer.run()
    }
    this.#nowMs = endMs
  }

  #add(run: () => void, delayMs: number, everyMs: number | undefined): ManualTimer {
    const timer = { id: this.#nextId++, dueMs: this.#nowMs + Math.max(0, delayMs), everyMs, run }
    this.#timers.push(timer)
    return timer
  }

  #nextDue(endMs: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.dueMs <= endMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer
    }
    return next
  }
}
