type StepQueueOptions = {
  readonly onError: (error: unknown) => void
  /** Called after each step, also after one that failed. */
  readonly onStep: () => void
}

/** Runs steps one after another. */
export class StepQueue {
  readonly #options: StepQueueOptions
  #pending = 0
  #done: Promise<void> = Promise.resolve()

  constructor(options: StepQueueOptions) {
    this.#options = options
  }

  get busy(): boolean {
    return this.#pending > 0
  }

  /** Settles when the steps pushed so far are done; never rejects. */
  get done(): Promise<void> {
    return this.#done
  }

  push(step: () => Promise<void>): void {
    this.#pending += 1
    this.#done = this.#run(this.#done, step)
  }

  async #run(before: Promise<void>, step: () => Promise<void>): Promise<void> {
    await before
    try {
      await step()
    } catch (error) {
      this.#options.onError(error)
    }
    this.#pending -= 1
    this.#options.onStep()
  }
}
