/** A recording that is later than this is put off by its delay as a whole, so that viewers get no burst. */
const MAX_LATE_MS = 300

/**
 * The relation between the time of a recording and that of a clock, while the recording is played. It has no timer: the
 * player asks it for the wait.
 */
export class PlaybackClock {
  #speed: number
  /** The recording's time at a time of the clock. */
  #anchor: { mediaMs: number; nowMs: number } | undefined

  /** @param speed 1 is the pace of the recording; 0 has everything due at once. */
  constructor(speed = 1) {
    this.#speed = speed
  }

  /**
   * Returns how many milliseconds are left until a time of the recording is due; 0 or less when it is. It begins with the
   * first time that it is asked for.
   */
  waitMs(mediaMs: number, nowMs: number): number {
    if (this.#speed === 0) return 0
    this.#anchor ??= { mediaMs, nowMs }
    const { mediaMs: anchorMs, nowMs: sinceMs } = this.#anchor
    const leftMs = (mediaMs - anchorMs) / this.#speed - (nowMs - sinceMs)
    if (leftMs < -MAX_LATE_MS) this.#anchor = { mediaMs, nowMs }
    return leftMs
  }

  /** The time of the recording that is due; undefined before it has begun. */
  positionMs(nowMs: number): number | undefined {
    if (this.#speed === 0) return Infinity
    return this.#anchor && this.#anchor.mediaMs + (nowMs - this.#anchor.nowMs) * this.#speed
  }

  /** Goes on at another speed from where it is. */
  setSpeed(speed: number, nowMs: number): void {
    if (speed === this.#speed) return
    const mediaMs = this.positionMs(nowMs)
    this.#anchor = mediaMs === undefined || mediaMs === Infinity ? undefined : { mediaMs, nowMs }
    this.#speed = speed
  }

  /** Begins anew with the next time that it is asked for, as after a pause or a seek. */
  reset(): void {
    this.#anchor = undefined
  }
}
