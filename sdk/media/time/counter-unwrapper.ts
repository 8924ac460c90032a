/**
 * Turns a counter of fixed width that starts again at zero (32-bit RTP and RTMP times, 33-bit MPEG-TS times) into one
 * that does not. The first value is given back as it is; from then on a step of less than half the range, in either
 * direction, is taken as meant, so that reordered values come out a little lower rather than a whole range higher.
 */
export class CounterUnwrapper {
  readonly #range: number
  #raw = 0
  #unwrapped: number | undefined

  /** @param bits The width of the counter, at most 48. */
  constructor(bits: number) {
    this.#range = 2 ** bits
  }

  /** @param raw The counter, at least 0 and below its range; the first one may be whole ranges off. */
  unwrap(raw: number): number {
    if (this.#unwrapped === undefined) {
      this.#raw = raw - Math.floor(raw / this.#range) * this.#range
      return (this.#unwrapped = raw)
    }
    let step = raw - this.#raw
    this.#raw = raw
    if (step >= this.#range / 2) step -= this.#range
    else if (step < -this.#range / 2) step += this.#range
    return (this.#unwrapped += step)
  }
}
