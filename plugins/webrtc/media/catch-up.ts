/** A group of pictures shorter than this goes out at once, as it is. */
const MIN_CATCH_UP_MS = 100
/** How much faster than it was taken it goes out, besides what comes meanwhile. */
const SPEED = 4
/** A viewer is at the live edge after this, unless that took more than {@link MAX_BYTES_PER_MS}. */
const MAX_CATCH_UP_MS = 800
/** The least that it has to be faster, or it gets nowhere: pictures go out twice as fast as they come. */
const MIN_SPEED = 2
/** 40 Mbit/s: what the networks of viewers take in a burst. */
const MAX_BYTES_PER_MS = 5000

/** What is kept for a viewer that comes late. Times are in ticks of a clock of `clockRate`. */
export type KeptPictures = {
  readonly clockRate: number
  readonly firstTicks: number
  /** Of the newest, which has just come. */
  readonly lastTicks: number
  readonly sizeBytes: number
}

/**
 * How a late viewer gets to the live edge: it sees the newest keyframe at once and what has come since then faster than
 * it was taken, so that it plays in step with it and buffers nothing. A picture's time is that at which it goes out, by the
 * clock of the live pictures, until both are the same.
 */
export class CatchUp {
  readonly #firstTicks: number
  readonly #lastTicks: number
  readonly #startMs: number
  readonly #ticksPerMs: number
  readonly #durationMs: number
  /** Ticks of sending for a tick of the pictures' own times. */
  readonly #slope: number

  constructor({ clockRate, firstTicks, lastTicks, sizeBytes }: KeptPictures, nowMs: number) {
    this.#firstTicks = firstTicks
    this.#lastTicks = lastTicks
    this.#startMs = nowMs
    this.#ticksPerMs = clockRate / 1000
    const keptMs = (lastTicks - firstTicks) / this.#ticksPerMs
    const fastMs = Math.min(keptMs / SPEED, MAX_CATCH_UP_MS)
    // What is kept is out before what came meanwhile is.
    const keptOutMs = Math.min(sizeBytes / MAX_BYTES_PER_MS, keptMs / MIN_SPEED)
    const heavyMs = (keptMs * keptOutMs) / (keptMs - keptOutMs)
    this.#durationMs = keptMs < MIN_CATCH_UP_MS ? 0 : Math.max(fastMs, heavyMs)
    this.#slope = this.#durationMs === 0 ? 0 : this.#durationMs / (keptMs + this.#durationMs)
  }

  /** The time with which a picture goes out: ascending as its own is, and its own from the end on. */
  timeOf(ticks: number): number {
    if (this.#durationMs === 0 || ticks >= this.#lastTicks + this.#durationMs * this.#ticksPerMs) return ticks
    return Math.floor(this.#lastTicks + (ticks - this.#firstTicks) * this.#slope)
  }

  /** Up to which time of its own a picture has to have gone out. */
  dueTicks(nowMs: number): number {
    const elapsedMs = nowMs - this.#startMs
    if (elapsedMs >= this.#durationMs) return Infinity
    return this.#firstTicks + (elapsedMs * this.#ticksPerMs) / this.#slope
  }
}
