import { StreamUnavailable } from 'sluice/sdk'

/** Too many wait for their turn (503): who is told so may try again soon. */
class TooManyWaiting extends StreamUnavailable {
  readonly headers = { 'retry-after': '2' }
}

export type WorkQueueLimits = {
  readonly working: number
  readonly waiting: number
  /** What who is turned away is told. */
  readonly refusal: string
}

/** Lets so many be at work at a time, and so many wait; those who come first, first. */
export class WorkQueue {
  readonly #limits: WorkQueueLimits
  readonly #waiting = new Set<() => void>()
  #working = 0

  constructor(limits: WorkQueueLimits) {
    this.#limits = limits
  }

  /**
   * Waits for a turn.
   * @param signal leaves the queue
   * @returns ends the turn; idempotent
   * @throws {StreamUnavailable} too many wait
   * @throws what the signal was aborted for
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    const { working, waiting, refusal } = this.#limits
    if (this.#working < working) this.#working += 1
    else if (this.#waiting.size >= waiting) throw new TooManyWaiting(refusal)
    else await this.#turn(signal)
    let isOver = false
    return () => {
      if (!isOver) this.#pass()
      isOver = true
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin)
        reject(signal.reason as Error)
      }
      const begin = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      signal.addEventListener('abort', leave, { once: true })
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
