import type { AccessUnit } from 'sluice/sdk'
import type { FramePace } from './frame-pace.ts'
import { MIN_PART_SHARE } from './part-target.ts'

/** A difference below the last digit of a playlist; times that are sums of fractions differ by it. */
const ROUNDING_SECONDS = 0.0005
/** A fraction that does not appear in playlists. */
const FRACTION_SECONDS = 1e-6

/** The shortest duration of a segment or part. */
export const MIN_DURATION_SECONDS = 0.001

/** A unit that is held back until its duration is known. */
type HeldUnit = { readonly unit: AccessUnit; readonly timeSeconds: number }

/** Takes units and the ends of parts, in order. */
export interface PartSink {
  write(unit: AccessUnit): void
  /** Ends a part before `next`, if that is known. @returns false when nothing was written, and there is no part */
  endPart(durationSeconds: number, next: AccessUnit | undefined): boolean
}

/**
 * Ends the parts of one segment so that none lasts longer than the part target, and all but the last nearly as long. The newest frame of
 * the rendition's main track is held back until the next one shows its end. A frame that is too long for its part ends a part with the
 * duration of the target; the rest of its duration is distributed over the following parts, a frame each.
 */
export class PartCutter {
  readonly #sink: PartSink
  readonly #targetSeconds: number
  readonly #pace: FramePace
  #startSeconds: number
  #held: HeldUnit | undefined
  /** The time of the newest frame of the rendition's main track. */
  #mainSeconds: number

  constructor(sink: PartSink, init: { targetSeconds: number; pace: FramePace; startSeconds: number }) {
    this.#sink = sink
    this.#targetSeconds = init.targetSeconds
    this.#pace = init.pace
    this.#startSeconds = init.startSeconds
    this.#mainSeconds = init.startSeconds
  }

  /** Takes the next frame of the rendition's main track. */
  main(unit: AccessUnit, timeSeconds: number): void {
    this.#release(timeSeconds)
    const elapsed = timeSeconds - this.#startSeconds
    // Steps may be shorter than those so far, and there is still time to take a frame back.
    const isFull = this.#isEnough(elapsed) && this.#passes(elapsed + this.#pace.minSeconds)
    if (isFull || this.#passes(elapsed)) this.#end(timeSeconds, unit)
    this.#held = { unit, timeSeconds }
    this.#mainSeconds = timeSeconds
  }

  /** Takes a unit of another track; it comes when the main one has got as far, or pauses. */
  other(unit: AccessUnit, timeSeconds: number): void {
    const isPaused = timeSeconds > this.#mainSeconds + this.#pace.steadySeconds
    if (isPaused && this.#passes(timeSeconds - this.#startSeconds)) {
      this.#release(timeSeconds)
      // The frame that was held back may have begun a part.
      if (this.#passes(timeSeconds - this.#startSeconds)) this.#end(timeSeconds, unit)
    }
    this.#sink.write(unit)
  }

  /** Ends the segment. @returns the end of its parts, which is earlier than `atSeconds` if a frame was too long for them */
  finish(atSeconds: number, next: AccessUnit | undefined): number {
    this.#release(atSeconds)
    this.#end(atSeconds, next)
    return this.#startSeconds
  }

  #release(endSeconds: number): void {
    const held = this.#held
    if (!held) return
    this.#held = undefined
    const isEnough = this.#isEnough(held.timeSeconds - this.#startSeconds)
    if (isEnough && this.#passes(endSeconds - this.#startSeconds)) this.#end(held.timeSeconds, held.unit)
    this.#sink.write(held.unit)
  }

  #end(atSeconds: number, next: AccessUnit | undefined): void {
    const leastSeconds = this.#startSeconds + MIN_DURATION_SECONDS
    const mostSeconds = this.#startSeconds + this.#targetSeconds
    // Sums of fractions are not rounded, so that durations add up.
    const isTooLong = atSeconds > mostSeconds + FRACTION_SECONDS
    const endSeconds = isTooLong ? mostSeconds : Math.max(atSeconds, leastSeconds)
    const durationSeconds = Math.min(endSeconds - this.#startSeconds, this.#targetSeconds)
    if (this.#sink.endPart(durationSeconds, next)) this.#startSeconds = endSeconds
  }

  #isEnough(durationSeconds: number): boolean {
    return durationSeconds >= this.#targetSeconds * MIN_PART_SHARE
  }

  #passes(durationSeconds: number): boolean {
    return durationSeconds > this.#targetSeconds + ROUNDING_SECONDS
  }
}
