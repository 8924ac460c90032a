import { StreamUnavailable } from 'sluice/sdk'

/** The number of low bits of an id that count; the bits above are the process's, which leaves room for 4,096 of them. */
const COUNT_BITS = 20
const MAX_COUNT = 2 ** COUNT_BITS - 1

/**
 * Gives out ids that are unique among the processes of a host and fit 32 bits: `process << 20 | n`, with n from 1. The
 * count begins anew after a million, and goes past ids that are still in use.
 */
export class ProcessIds {
  readonly #process: number
  readonly #taken = new Set<number>()
  #last = 0

  constructor(process: number) {
    this.#process = process
  }

  /** @throws {StreamUnavailable} when all ids are in use */
  take(): number {
    if (this.#taken.size >= MAX_COUNT) throw new StreamUnavailable('too many sessions')
    do {
      this.#last = this.#last < MAX_COUNT ? this.#last + 1 : 1
    } while (this.#taken.has(this.#last))
    this.#taken.add(this.#last)
    return ((this.#process << COUNT_BITS) | this.#last) >>> 0
  }

  /** Frees the id, which is given out again once the count reaches it. */
  release(id: number): void {
    this.#taken.delete(id & MAX_COUNT)
  }
}

/** The process that has given out an id. */
export function processOf(id: number): number {
  return id >>> COUNT_BITS
}
