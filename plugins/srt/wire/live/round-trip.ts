/** Before anything was measured (draft-sharabayko-srt-01 4.10). */
const FIRST_RTT_US = 100_000
const FIRST_VARIANCE_US = 50_000
const MAX_RTT_US = 30_000_000

/** How long a packet and its answer take, smoothed (draft-sharabayko-srt-01 4.10). */
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

  /** The first that was measured; what is assumed until then. */
  get firstUs(): number {
    return this.#firstUs ?? FIRST_RTT_US
  }

  /** What an answer may take before it is taken for lost. */
  get timeoutUs(): number {
    return this.#rttUs + 4 * this.#varianceUs
  }

  /** Takes a measurement; one that can't be is left out. */
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
