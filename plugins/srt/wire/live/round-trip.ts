/** The values before the first measurement (draft-sharabayko-srt-01 4.10). */
const FIRST_RTT_US = 100_000
const FIRST_VARIANCE_US = 50_000
const MAX_RTT_US = 30_000_000

/** The time that a packet and its answer take, smoothed (draft-sharabayko-srt-01 4.10). */
export class RoundTrip {
  #rttUs = FIRST_RTT_US
  #varianceUs = FIRST_VARIANCE_US
  #firstUs: number | undefined

  get rttUs(): number {
    return this.#rttUs
  }

  get varianceUs(): number {
    return this.#varianceUs
  }

  /** The first measurement; the default before it. */
  get firstUs(): number {
    return this.#firstUs ?? FIRST_RTT_US
  }

  /** The time after which an answer counts as lost. */
  get timeoutUs(): number {
    return this.#rttUs + 4 * this.#varianceUs
  }

  /** Takes a measurement; an impossible one is ignored. */
  add(rttUs: number): void {
    if (!(rttUs >= 0 && rttUs <= MAX_RTT_US)) return
    if (this.#firstUs === undefined) {
      this.#firstUs = rttUs
      this.#rttUs = rttUs
      this.#varianceUs = rttUs / 2
      return
    }
    this.#varianceUs += (Math.abs(rttUs - this.#rttUs) - this.#varianceUs) / 4
    this.#rttUs += (rttUs - this.#rttUs) / 8
  }
}
