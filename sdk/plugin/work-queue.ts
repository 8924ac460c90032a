import { StreamUnavailable } from '../errors/stream-errors.ts'

/** Too many wait for their turn (503); `retry-after` asks the client to try again soon. */
class TooManyWaiting extends StreamUnavailable {
  readonly headers = { 'retry-after': '2' }
}

/** The limits of a `WorkQueue`. */
export type WorkQueueLimits = {
  /** The number of callers at work at a time. */
  readonly working: number
  /** The number of callers that wait for their turn. No limit unless given. */
  readonly waiting?: number
  /** The message of the error for a caller that is turned away. */
  readonly refusal?: string
}

/** The options of a caller's wait. */
export type TurnOptions = {
  /** Leaves the queue when it aborts. */
  readonly signal?: AbortSignal | undefined
  /** True for a caller that waits even past the limit of `waiting`, for callers that are few themselves. Default false. */
  readonly isPatient?: boolean
}

/** Lets a number of callers be at work at a time, and a number wait, first come, first served. */
export class WorkQueue {
  readonly #limits: Required<WorkQueueLimits>
  readonly #waiting = new Set<() => void>()
  #working = 0

  constructor({ working, waiting = Infinity, refusal = 'too many wait for their turn; try again' }: WorkQueueLimits) {
    this.#limits = { working, waiting, refusal }
  }

  /**
   * Does work when it is its turn: at once where there is room.
   * @throws {StreamUnavailable} too many wait; with a `retry-after` where it is answered by HTTP
   * @throws the signal's reason, or the error of the work
   */
  async run<Result>(work: () => Promise<Result>, options: TurnOptions = {}): Promise<Result> {
    const turn = this.#take(options)
    if (turn !== undefined) await turn
    try {
      options.signal?.throwIfAborted()
      return await work()
    } finally {
      this.#pass()
    }
  }

  /**
   * Waits for a turn that ends elsewhere than in a function.
   * @returns a function that ends the turn; idempotent
   * @throws as `run`
   */
  async enter(options: TurnOptions = {}): Promise<() => void> {
    const turn = this.#take(options)
    if (turn !== undefined) await turn
    let isOver = false
    return () => {
      if (!isOver) this.#pass()
      isOver = true
    }
  }

  /** Returns a promise for a turn; undefined where there is room. */
  #take({ signal, isPatient = false }: TurnOptions): Promise<void> | undefined {
    signal?.throwIfAborted()
    const { working, waiting, refusal } = this.#limits
    if (this.#working < working) {
      this.#working += 1
      return undefined
    }
    if (!isPatient && this.#waiting.size >= waiting) throw new TooManyWaiting(refusal)
    return this.#wait(signal)
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(begin)
        reject(signal?.reason as Error)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.add(begin)
    })
  }

  /** Gives the place to the caller that waits longest. */
  #pass(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#working -= 1
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
