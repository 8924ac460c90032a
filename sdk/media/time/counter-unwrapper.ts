/**
 * Turns a counter of fixed width that starts again at zero (32-bit RTP and RTMP times, 33-bit MPEG-TS times) into one
 * that does not. The first value is given back as it is; from then on a step of less than half the range, in either
 * direction, is taken as meant, so that reordered values come out a little lower rather than a whole range higher.
 */
export class CounterUnwrapper {
  readonly #range: number
  #last: number | undefined

  /** @param bits The width of the counter, at most 48. */
  constructor(bits: number) {
    this.#range = 2 ** bits
  }

  unwrap(raw: number): number {
    if (this.#last === undefined) return (this.#last = raw)
    let step = (raw - this.#last) % this.#range
    if (step >= this.#range / 2) step -= this.#range
    else if (step < -this.#range / 2) step += this.#range
    return (this.#last += step)
  }
}
