import type { RoundTrip } from './round-trip.ts'

/** What an answer may take longer than the round trip says: acknowledgements are sent each 10 ms, and taken as often. */
const SLACK_US = 20_000

export type LossTimerInit = {
  readonly nowUs: number
  readonly roundTrip: Pick<RoundTrip, 'timeoutUs'>
  /** The peer repeats its reports of what it misses. */
  readonly isReportRepeated: boolean
}

/**
 * Says when all that is in flight may be lost, though no report says so. Where no packet can follow, the peer does not know of the last
 * ones; a peer that reports a loss only once does not know that its report was lost.
 */
export class LossTimer {
  readonly #init: LossTimerInit
  #startUs: number
  /** How often the time was over since the peer last acknowledged something: each time it gets longer, as nobody may be there. */
  #count = 0

  constructor(init: LossTimerInit) {
    this.#init = init
    this.#startUs = init.nowUs
  }

  /** A packet has left. */
  sent(nowUs: number): void {
    if (this.#init.isReportRepeated) this.#startUs = nowUs
  }

  /** The peer has acknowledged what it had not before, or nothing is in flight. */
  restart(nowUs: number): void {
    this.#startUs = nowUs
    this.#count = 0
  }

  /**
   * Whether the time is over, which then begins again.
   * @param isHeld whether no new packet can follow: there is none, or the window is full
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
