import type { RoundTrip } from './round-trip.ts'

/** The time that an answer may take in addition to the round trip: acknowledgements are sent every 10 ms, and read as often. */
const SLACK_US = 20_000

export type LossTimerInit = {
  readonly nowUs: number
  readonly roundTrip: Pick<RoundTrip, 'timeoutUs'>
  /** True when the peer repeats its loss reports. */
  readonly isReportRepeated: boolean
}

/**
 * Decides when everything in flight may be lost although no report says so. When no packet can follow, the peer does not know of the last
 * ones; a peer that reports a loss only once does not know that its report was lost.
 */
export class LossTimer {
  readonly #init: LossTimerInit
  #startUs: number
  /** The number of timeouts since the peer last acknowledged new packets: each makes the next one longer, as the peer may be gone. */
  #count = 0

  constructor(init: LossTimerInit) {
    this.#init = init
    this.#startUs = init.nowUs
  }

  /** A packet has left. */
  sent(nowUs: number): void {
    if (this.#init.isReportRepeated) this.#startUs = nowUs
  }

  /** The peer has acknowledged new packets, or nothing is in flight. */
  restart(nowUs: number): void {
    this.#startUs = nowUs
    this.#count = 0
  }

  /**
   * Returns true when the time is over, which then begins again.
   * @param isHeld true when no new packet can follow: there is none, or the window is full
   */
  isOver(nowUs: number, isHeld: boolean): boolean {
    const { roundTrip, isReportRepeated } = this.#init
    if (!isHeld && isReportRepeated) return false
    if (nowUs - this.#startUs <= (roundTrip.timeoutUs + SLACK_US) * (this.#count + 1)) return false
    this.#startUs = nowUs
    this.#count += 1
    return true
  }
}
