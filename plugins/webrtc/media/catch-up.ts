/** A group of pictures shorter than this goes out at once, as it is. */
const MIN_CATCH_UP_MS = 100
/** The speed at which kept pictures go out, relative to their own, in addition to those that come meanwhile. */
const SPEED = 4
/** The longest that a viewer takes to reach the live edge, unless {@link MAX_BYTES_PER_MS} makes it longer. */
const MAX_CATCH_UP_MS = 800
/** The least speed, as pictures must go out faster than they come. */
const MIN_SPEED = 2
/** 40 Mbit/s, a burst that viewers' networks can carry. */
const MAX_BYTES_PER_MS = 5000

/** The pictures that are kept for a late viewer. Times are in ticks of a clock of `clockRate`. */
export type KeptPictures = {
  readonly clockRate: number
  readonly firstTicks: number
  /** The time of the newest picture, which has just come. */
  readonly lastTicks: number
  readonly sizeBytes: number
}

/**
 * Brings a late viewer to the live edge: it gets the newest keyframe at once, and the pictures since then faster than they were taken, so
 * that it buffers nothing. A picture's RTP time is the time at which it goes out, by the clock of the live pictures, until the viewer has
 * caught up.
 */
export class CatchUp {
  readonly #firstTicks: number
  readonly #lastTicks: number
  readonly #startMs: number
  readonly #ticksPerMs: number
  readonly #durationMs: number
  /** The ticks of sending for each tick of the pictures' own times. */
  readonly #slope: number

  constructor({ clockRate, firstTicks, lastTicks, sizeBytes }: KeptPictures, nowMs: number) {
    this.#firstTicks = firstTicks
    this.#lastTicks = lastTicks
    this.#startMs = nowMs
    this.#ticksPerMs = clockRate / 1000
    const keptMs = (lastTicks - firstTicks) / this.#ticksPerMs
    const fastMs = Math.min(keptMs / SPEED, MAX_CATCH_UP_MS)
    // The kept pictures go out before those that come meanwhile.
    const keptOutMs = Math.min(sizeBytes / MAX_BYTES_PER_MS, keptMs / MIN_SPEED)
    const heavyMs = (keptMs * keptOutMs) / (keptMs - keptOutMs)
    this.#durationMs = keptMs < MIN_CATCH_UP_MS ? 0 : Math.max(fastMs, heavyMs)
    this.#slope = this.#durationMs === 0 ? 0 : this.#durationMs / (keptMs + this.#durationMs)
  }

  /** The RTP time of a picture: ascending with its own time, and equal to it once the viewer has caught up. */
  timeOf(ticks: number): number {
    if (this.#durationMs === 0 || ticks >= this.#lastTicks + this.#durationMs * this.#ticksPerMs) return ticks
    return Math.floor(this.#lastTicks + (ticks - this.#firstTicks) * this.#slope)
  }

  /** The pictures up to this time, by their own clock, have to go out by `nowMs`. */
  dueTicks(nowMs: number): number {
    const elapsedMs = nowMs - this.#startMs
    if (elapsedMs >= this.#durationMs) return Infinity
    return this.#firstTicks + (elapsedMs * this.#ticksPerMs) / this.#slope
  }
}
