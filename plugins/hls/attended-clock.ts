/** A longer step between two ticks is a stall. */
const MAX_STEP_MS = 1000

/**
 * The time in which the server could attend to its clients, in steps. When the process was held up, requests may have
 * come that it has not seen yet: that time counts against nobody.
 */
export class AttendedClock {
  #nowMs: number
  #lastTickMs: number

  /** @param realMs what a clock that does not jump shows */
  constructor(realMs: number) {
    this.#nowMs = realMs
    this.#lastTickMs = realMs
  }

  readonly now = (): number => this.#nowMs

  tick(realMs: number): number {
    this.#nowMs += Math.min(realMs - this.#lastTickMs, MAX_STEP_MS)
    this.#lastTickMs = realMs
    return this.#nowMs
  }
}
