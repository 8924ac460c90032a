import { StreamUnavailable } from 'sluice/sdk'

/** Too many wait for their turn (503): who is told so may try again soon. */
export class TooMany extends StreamUnavailable {
  readonly headers = { 'retry-after': '2' }

  constructor() {
    super('too many pictures are wanted at a time; try again')
  }
}

/** Who waits for a turn. */
export type TurnOptions = {
  /** Waits however many others do: for those who are few themselves. */
  readonly isPatient: boolean
  readonly signal?: AbortSignal | undefined
}

/** Lets so many be at work at a time, and so many wait; those who come first, first. */
export class Turns {
  readonly #limit: number
  readonly #maxWaiting: number
  readonly #waiting = new Set<() => void>()
  #working = 0

  constructor(limit: number, maxWaiting: number) {
    this.#limit = limit
    this.#maxWaiting = maxWaiting
  }

  /**
   * Does work when it is its turn.
   * @throws {TooMany} when too many wait
   * @throws what the signal was aborted for, or the work threw
   */
  async run<Result>(work: () => Promise<Result>, { isPatient, signal }: TurnOptions): Promise<Result> {
    if (this.#working < this.#limit) this.#working += 1
    else {
      if (!isPatient && this.#waiting.size >= this.#maxWaiting) throw new TooMany()
      await this.#turn(signal)
    }
    try {
      signal?.throwIfAborted()
      return await work()
    } finally {
      this.#pass()
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin)
        reject(signal?.reason as Error)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      if (signal?.aborted) return leave()
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(begin)
    })
  }

  /** Whoever waits longest takes the place over. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#working -= 1
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
