/** Tasks that one turn of the event loop runs at most, however quick they are. */
const MAX_TASKS_PER_TURN = 64

/**
 * Work that is not urgent, of many who each have a little of it: a turn of the event loop does it in the order in which
 * it came, and for a limited time, so that no flood of it holds up anything else.
 */
export class TurnQueue {
  readonly #tasks: (() => void)[] = []
  readonly #budgetMs: number
  /** Steps of this turn that are still to come. */
  #steps = 0
  #startMs: number | undefined

  /** @param budgetMs after it, a turn begins no further task; each turn runs one at least */
  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs
  }

  /** Runs a task in one of the next turns, with what it leaves to microtasks. */
  add(task: () => void): void {
    this.#tasks.push(task)
    if (this.#steps === 0) this.#beginTurn()
  }

  /** Each task is an immediate of its own: promises settle between two of them, so that their work counts. */
  #beginTurn(): void {
    this.#startMs = undefined
    this.#steps = Math.min(this.#tasks.length, MAX_TASKS_PER_TURN)
    for (let step = 0; step < this.#steps; step++) setImmediate(this.#step)
  }

  readonly #step = (): void => {
    const nowMs = performance.now()
    const isInTime = this.#startMs === undefined || nowMs - this.#startMs <= this.#budgetMs
    this.#startMs ??= nowMs
    const task = isInTime ? this.#tasks.shift() : undefined
    try {
      task?.()
    } finally {
      if (--this.#steps === 0 && this.#tasks.length > 0) this.#beginTurn()
    }
  }
}
