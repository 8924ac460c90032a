/**
 * A clock that stands still while this process is held up: messages that came meanwhile are still to be read, and are not
 * late. It goes on by `maxStepMs` at most between two ticks, and never goes back.
 */
export class StallClock {
  readonly #maxStepMs: number
  #tickedMs: number
  #stalledMs = 0

  /**
   * @param nowMs of a monotonic clock, as in all calls
   * @param maxStepMs more than the time between two ticks; Infinity for a clock without calls of `tick`
   */
  constructor(nowMs: number, maxStepMs: number) {
    this.#tickedMs = nowMs
    this.#maxStepMs = maxStepMs
  }

  /** Returns the time that this clock shows at `nowMs`. */
  at(nowMs: number): number {
    return Math.min(nowMs, this.#tickedMs + this.#maxStepMs) - this.#stalledMs
  }

  /** Notes that the process runs; a timer calls it at steady intervals. Returns the time that this clock shows. */
  tick(nowMs: number): number {
    this.#stalledMs += Math.max(0, nowMs - this.#tickedMs - this.#maxStepMs)
    this.#tickedMs = nowMs
    return this.at(nowMs)
  }
}
