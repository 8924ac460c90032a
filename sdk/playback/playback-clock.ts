/** The longest delay that is caught up; a longer one delays the rest of the recording, so that viewers get no burst. */
const MAX_LATE_MS = 300

/**
 * The relation between the time of a recording and that of a clock, while the recording is played. It has no timer: the
 * player asks it for the wait.
 */
export class PlaybackClock {
  #speed: number
  /** The recording's time at a time of the clock. */
  #anchor: { mediaMs: number; nowMs: number } | undefined

  /** @param speed the factor of the recording's pace; at 0, everything is due at once */
  constructor(speed = 1) {
    this.#speed = speed
  }

  /**
   * Returns the milliseconds until a time of the recording is due; 0 or less when it is due. The first call starts the
   * playback.
   */
  waitMs(mediaMs: number, nowMs: number): number {
    if (this.#speed === 0) return 0
    this.#anchor ??= { mediaMs, nowMs }
    const { mediaMs: anchorMs, nowMs: sinceMs } = this.#anchor
    const leftMs = (mediaMs - anchorMs) / this.#speed - (nowMs - sinceMs)
    if (leftMs < -MAX_LATE_MS) this.#anchor = { mediaMs, nowMs }
    return leftMs
  }

  /** Returns the time of the recording that is due; undefined before it has begun. */
  positionMs(nowMs: number): number | undefined {
    if (this.#speed === 0) return Infinity
    return this.#anchor && this.#anchor.mediaMs + (nowMs - this.#anchor.nowMs) * this.#speed
  }

  /** Continues at another speed from the present position. */
  setSpeed(speed: number, nowMs: number): void {
    if (speed === this.#speed) return
    const mediaMs = this.positionMs(nowMs)
    this.#anchor = mediaMs === undefined || mediaMs === Infinity ? undefined : { mediaMs, nowMs }
    this.#speed = speed
  }

  /** Makes the next call of `waitMs` start the playback anew, as after a pause or a seek. */
  reset(): void {
    this.#anchor = undefined
  }
}
