/** The most tasks of one turn of the event loop, however quick they are. */
const MAX_TASKS_PER_TURN = 64

/**
 * A queue of small tasks that are not urgent. A turn of the event loop runs them in the order in which they came, and for a
 * limited time, so that no flood of them holds up other work.
 */
export class TurnQueue {
  readonly #tasks: (() => void)[] = []
  readonly #budgetMs: number
  /** The number of steps that this turn has still to run. */
  #steps = 0
  #startMs: number | undefined

  /** @param budgetMs the time after which a turn begins no further task; each turn runs one at least */
  constructor(budgetMs: number) {
    this.#budgetMs = budgetMs
  }

  /** Runs a task, and the microtasks that it queues, in one of the next turns. */
  add(task: () => void): void {
    this.#tasks.push(task)
    if (this.#steps === 0) this.#beginTurn()
  }

  /** Begins a turn. Each task is an immediate of its own: promises settle between two of them, so that their work counts. */
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
