/**
 * Lets so many writes be under way at a time. The threads that write files also look up names and read files for others, and a disk
 * that hangs is not to have them all.
 */
export class WriteTurns {
  readonly #limit: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === this.#limit) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await work()
    } finally {
      // Whoever waits longest takes the place over.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
