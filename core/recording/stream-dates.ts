/** The clock of a stream may run so far from that of the server before dates are set right. */
const MAX_DRIFT_MS = 2000

/** The dates of a stream's times, in milliseconds since the Unix epoch: when its media came. */
export class StreamDates {
  readonly #now: () => number
  /** What is added to times of the stream. */
  #shiftMs: number

  /**
   * @param timeMs the newest time of the stream
   * @param now the clock of the server
   */
  constructor(timeMs: number, now: () => number = Date.now) {
    this.#now = now
    this.#shiftMs = Math.round(now() - timeMs)
  }

  dateOf(timeMs: number): number {
    return Math.round(timeMs) + this.#shiftMs
  }

  /**
   * Sets dates right where they have drifted from the clock of the server, or the stream stood still.
   * @param timeMs a time of the stream that is written now
   * @param latestMs the latest date that was given; what follows is no earlier
   */
  adjust(timeMs: number, latestMs: number): void {
    const dateMs = this.dateOf(timeMs)
    const nowMs = this.#now()
    if (Math.abs(nowMs - dateMs) > MAX_DRIFT_MS) this.#shiftMs += Math.max(nowMs, latestMs) - dateMs
  }
}
