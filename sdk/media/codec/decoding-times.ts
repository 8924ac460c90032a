/** The most pictures that may come before one that is shown earlier (ISO/IEC 14496-10 A.3.1, ISO/IEC 23008-2 A.4.2). */
export const MAX_REORDER_DEPTH = 16

/** The duration of a picture where the stream does not say. */
const DEFAULT_PICTURE_MS = 40
/** The step between decoding times that there is no room for. */
const SQUEEZED_MS = 1
/** A picture farther away from those before it is of another clock. */
const MAX_STEP_MS = 10_000

/**
 * Finds decoding times for pictures that come in decoding order with their presentation times alone.
 *
 * Where at most n pictures come before one that is shown earlier, the decoding time is the presentation time that stands
 * n places before the newest: of the n + 1 newest times the oldest. No unit is then decoded after it is shown, and none
 * earlier than it has to be. For pictures at a steady pace, this is what encoders write themselves.
 */
export class DecodingTimes {
  readonly #timescale: number
  readonly #squeezedTicks: number
  readonly #maxStepTicks: number
  #depth = 0
  /** The newest presentation times, in order: one more than `#depth`, but fewer at first. */
  #newest: number[] = []
  #firstPts: number | undefined
  #lastPts: number | undefined
  #lastDts = -Infinity
  #pictureTicks: number

  constructor(timescale: number) {
    this.#timescale = timescale
    this.#squeezedTicks = this.#ticksOf(SQUEEZED_MS)
    this.#maxStepTicks = (timescale * MAX_STEP_MS) / 1000
    this.#pictureTicks = this.#ticksOf(DEFAULT_PICTURE_MS)
  }

  /** The number of pictures that may come before one that is shown earlier. */
  get depth(): number {
    return this.#depth
  }

  /**
   * Takes the reorder depth and the frame rate that the stream states.
   * @param fps pictures a second; undefined where it does not say
   */
  configure(depth: number, fps: number | undefined): void {
    this.#depth = Math.min(depth, MAX_REORDER_DEPTH)
    this.#newest = this.#newest.slice(-this.#depth - 1)
    this.#pictureTicks = this.#ticksOf(fps === undefined ? DEFAULT_PICTURE_MS : 1000 / fps)
  }

  /** Takes it that at least so many pictures may come before one that is shown earlier. */
  expect(depth: number): void {
    this.#depth = Math.max(this.#depth, Math.min(depth, MAX_REORDER_DEPTH))
  }

  /**
   * The decoding time of the next picture, which is never before that of the last. It lies after the presentation time only
   * where more pictures come before one than `depth`, which then grows, and of pictures that are shown before the very first,
   * which no decoder can show.
   * @param closesOrder all pictures from here on are shown after those before
   */
  next(pts: number, closesOrder: boolean): number {
    // The second field of a picture.
    if (pts === this.#lastPts) return this.#lastDts
    this.#lastPts = pts
    if (this.#isOfAnotherClock(pts, closesOrder)) {
      this.#newest = []
      this.#firstPts = undefined
      this.#lastDts = -Infinity
    }
    this.#firstPts ??= pts
    if (pts < this.#firstPts) return this.#lastDts
    if (pts <= this.#lastDts) this.expect(this.#depth + 1)
    this.#insert(pts)
    const missing = this.#depth + 1 - this.#newest.length
    const dts = this.#newest[0]! - missing * this.#pictureTicks
    if (dts > this.#lastDts) return (this.#lastDts = dts)
    return (this.#lastDts = Math.max(this.#lastDts, Math.min(this.#lastDts + this.#squeezedTicks, pts)))
  }

  #ticksOf(timeMs: number): number {
    return Math.max(1, Math.round((this.#timescale * timeMs) / 1000))
  }

  #isOfAnotherClock(pts: number, closesOrder: boolean): boolean {
    const newest = this.#newest.at(-1)
    if (newest === undefined) return false
    return Math.abs(pts - newest) > this.#maxStepTicks || (closesOrder && pts <= newest)
  }

  #insert(pts: number): void {
    let place = this.#newest.length
    while (place > 0 && this.#newest[place - 1]! > pts) place -= 1
    this.#newest.splice(place, 0, pts)
    if (this.#newest.length > this.#depth + 1) this.#newest.shift()
  }
}
