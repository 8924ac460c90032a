import { StoreUnavailable } from 'sluice/sdk'

/** The most statements and transactions that wait for their turn. */
const MAX_WAITING = 10_000
/** The longest wait for a turn, as behind a transaction that never ends. */
const MAX_WAIT_MS = 30_000

/** The turns of writers: one transaction, or one statement, writes at a time, in the order in which they came. */
export class WriterTurns {
  #isTaken = false
  readonly #waiting: (() => void)[] = []

  /**
   * @returns a function that ends the turn
   * @throws {StoreUnavailable} when too many wait, or it takes too long
   */
  async take(): Promise<() => void> {
    if (this.#isTaken) await this.#wait()
    this.#isTaken = true
    return () => this.#next()
  }

  #next(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#isTaken = false
    else next()
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw new StoreUnavailable('too many queries wait')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const begin = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(begin), 1)
      reject(new StoreUnavailable('another transaction has not ended'))
    }, MAX_WAIT_MS)
    this.#waiting.push(begin)
    return promise
  }
}
