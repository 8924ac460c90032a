/**
 * Lets a line of the log through once in a while, for events that may come by the thousand.
 *
 * ```ts
 * const withheld = limit.pass()
 * if (withheld !== undefined) log.warn({ withheld }, 'a packet was broken')
 * ```
 */
export class LogLimit {
  readonly #intervalMs: number
  #lastMs = -Infinity
  #withheld = 0

  /** @param intervalMs The least time between two lines, in milliseconds. */
  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs
  }

  /** Returns the number of lines withheld since the last one; undefined where this one is to be withheld, too. */
  pass(): number | undefined {
    const nowMs = performance.now()
    if (nowMs - this.#lastMs < this.#intervalMs) {
      this.#withheld += 1
      return undefined
    }
    const withheld = this.#withheld
    this.#lastMs = nowMs
    this.#withheld = 0
    return withheld
  }
}
