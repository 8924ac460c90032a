/** Frames come for this long before the pace of their RTP times is judged. */
const WINDOW_MS = 2000
/** A clock that advances by less than this part of the time in which its frames come stands still; a faster one drifts. */
const STANDING_PACE = 0.25
/** Frames that come further apart than this are a pause, which the RTP times need not contain; times further back have leapt. */
const MAX_GAP_MS = 1000

/**
 * Finds RTP times that stand still, or nearly so, while frames come (of cameras that leave them at 0, or count milliseconds
 * or frames). The time of such frames is that of their arrival: it is added to their RTP times.
 */
export class StandingClock {
  #started = false
  #stands = false
  /** The arrival and the time of the window's first frame, and of the last one. */
  #sinceMs = 0
  #sinceTimeMs = 0
  #lastMs = 0
  #lastTimeMs = 0
  #addedMs = 0
  /** The delay of a frame's arrival after its time, with the added time, while the clock stands. */
  #delayMs = 0

  /** The milliseconds that are added to the RTP times so far. */
  get addedMs(): number {
    return this.#addedMs
  }

  /**
   * Takes a frame.
   * @param timeMs the RTP time without wraps, less the time by which it is decoded before it is shown
   * @param nowMs the arrival
   */
  add(timeMs: number, nowMs: number): void {
    const isBroken = !this.#started || nowMs - this.#lastMs > MAX_GAP_MS || timeMs < this.#lastTimeMs - MAX_GAP_MS
    if (this.#stands) this.#addedMs = Math.max(this.#addedMs, nowMs - timeMs - this.#delayMs)
    this.#started = true
    this.#lastMs = nowMs
    this.#lastTimeMs = timeMs
    const elapsedMs = nowMs - this.#sinceMs
    const movedMs = timeMs - this.#sinceTimeMs
    const goesOn = movedMs >= elapsedMs * STANDING_PACE
    if (!isBroken && elapsedMs < WINDOW_MS && (this.#stands || !goesOn)) return
    if (!isBroken && !goesOn && !this.#stands) {
      this.#addedMs += elapsedMs - movedMs
      this.#delayMs = nowMs - timeMs - this.#addedMs
    }
    if (!isBroken) this.#stands = !goesOn
    this.#sinceMs = nowMs
    this.#sinceTimeMs = timeMs
  }

  /** Forgets what was, where the RTP times begin anew. */
  reset(): void {
    this.#started = false
    this.#stands = false
    this.#addedMs = 0
  }
}
