import type { AccessUnit, Track } from 'sluice/sdk'
import { MAX_STEP_SECONDS } from './frame-pace.ts'
import type { FramePace } from './frame-pace.ts'

/** The first segment is cut this long after the fragment's length when no keyframe comes; it sets the target duration. */
const FIRST_SEGMENT_MARGIN_SECONDS = 10
/** The time by which a duration may exceed the target duration, since only its rounded value must not. */
const ROUNDING_SECONDS = 0.499
/** The most bytes of a segment in all renditions, at which it is cut without a keyframe. */
export const MAX_SEGMENT_SIZE_BYTES = 64 * 1024 * 1024
/** A new period begins when no track had a unit for longer than this. A pause of a single track does not begin one. */
const MAX_SILENCE_SECONDS = MAX_STEP_SECONDS
/** A track's step back that is longer than this begins a new period. */
const MAX_STEP_BACK_SECONDS = 5
/** The main track counts as paused when others are this far ahead; time then goes on without it. */
const MAX_AHEAD_SECONDS = 1
/** The longest that media may go on after the longest duration that is allowed for its segment. */
const MAX_OVERSHOOT_SECONDS = 1.5

/** The time at which a segment ends and the next begins. */
export type Cut = { readonly atSeconds: number }

export type SegmentCutterOptions = {
  readonly fragmentSeconds: number
  /** The target duration; undefined before the first cut of all. */
  readonly targetSeconds: number | undefined
  readonly mainTrack: Track
  /** The pace of the main track, which the caller updates with each frame before it asks for cuts. */
  readonly pace: Pick<FramePace, 'stepSeconds' | 'steadySeconds'>
  readonly startSeconds: number
}

/**
 * Decides where the segments of one period end: at the first keyframe of the main track once the fragment's length is reached, before the
 * target duration would be exceeded, and at a limit of bytes. The first segment sets the target.
 */
export class SegmentCutter {
  readonly #fragmentSeconds: number
  readonly #mainTrack: Track
  readonly #pace: Pick<FramePace, 'stepSeconds' | 'steadySeconds'>
  /** The pace up to the newest unit that was taken. */
  #stepSeconds: number
  #steadySeconds: number
  /** The time of the newest unit of each track, by its id. */
  readonly #lastSeconds = new Map<number, number>()
  #mainSeconds: number | undefined
  #targetSeconds: number | undefined
  #startSeconds: number
  #latestSeconds: number
  #sizeBytes = 0
  /** True when the main track begins the segment with a keyframe; undefined before its first unit. */
  #startsWithKeyframe: boolean | undefined
  /** The unit before which all cuts have been made. */
  #reached: AccessUnit | undefined

  constructor(options: SegmentCutterOptions) {
    this.#fragmentSeconds = options.fragmentSeconds
    this.#targetSeconds = options.targetSeconds
    this.#mainTrack = options.mainTrack
    this.#pace = options.pace
    this.#stepSeconds = options.pace.stepSeconds
    this.#steadySeconds = options.pace.steadySeconds
    this.#startSeconds = options.startSeconds
    this.#latestSeconds = options.startSeconds
  }

  /** The target duration: a whole number, fixed by the first cut. */
  get targetSeconds(): number | undefined {
    return this.#targetSeconds
  }

  /** The time up to which all cuts are known. */
  get clockSeconds(): number {
    return Math.max(this.#mainSeconds ?? -Infinity, this.#latestSeconds - MAX_AHEAD_SECONDS)
  }

  /** The longest duration of a segment. */
  get limitSeconds(): number {
    return this.#targetSeconds === undefined
      ? this.#fragmentSeconds + FIRST_SEGMENT_MARGIN_SECONDS
      : this.#targetSeconds + ROUNDING_SECONDS
  }

  /**
   * The next cut before a unit; undefined when there are no more. To be asked again once the cut was made, as several may be due. `jump`
   * when another period begins with the unit.
   */
  nextCut(unit: AccessUnit, timeSeconds: number): Cut | 'jump' | undefined {
    if (unit === this.#reached) return undefined
    if (this.#isJump(unit.track.id, timeSeconds)) return 'jump'
    const isMain = unit.track.id === this.#mainTrack.id
    const clockSeconds = isMain ? timeSeconds : timeSeconds - MAX_AHEAD_SECONDS
    const atSeconds = isMain ? this.#mainCut(unit, timeSeconds) : this.#otherCut(unit, timeSeconds)
    if (atSeconds === undefined) return undefined
    if (clockSeconds - atSeconds > MAX_OVERSHOOT_SECONDS) return 'jump'
    this.#begin(atSeconds)
    if (atSeconds >= clockSeconds) this.#reached = unit
    return { atSeconds }
  }

  /** Takes the next unit, after the cuts before it. */
  take(unit: AccessUnit, timeSeconds: number): void {
    if (unit.track.id === this.#mainTrack.id) {
      this.#startsWithKeyframe ??= unit.keyframe
      this.#mainSeconds = timeSeconds
      this.#stepSeconds = this.#pace.stepSeconds
      this.#steadySeconds = this.#pace.steadySeconds
    }
    this.#reached = undefined
    this.#sizeBytes += unit.sizeBytes
    this.#lastSeconds.set(unit.track.id, timeSeconds)
    this.#latestSeconds = Math.max(this.#latestSeconds, timeSeconds)
  }

  /** Corrects the start of the segment: the parts of the one before may not have filled it. */
  startAt(seconds: number): void {
    this.#startSeconds = seconds
  }

  /** Returns the end of the last segment, when nothing more comes. */
  finish(): Cut {
    const lastSeconds = Math.max(this.#mainSeconds ?? this.#startSeconds, this.#startSeconds)
    // A picture that may stay for long is not declared longer than is known.
    const mainEndSeconds = lastSeconds + Math.min(this.#stepSeconds, MAX_AHEAD_SECONDS)
    const isPaused = this.#latestSeconds - MAX_AHEAD_SECONDS > mainEndSeconds
    const atSeconds = this.#within(isPaused ? this.#latestSeconds : mainEndSeconds)
    this.#begin(atSeconds)
    return { atSeconds }
  }

  #isJump(trackId: number, timeSeconds: number): boolean {
    const lastSeconds = this.#lastSeconds.get(trackId)
    if (lastSeconds === undefined) return false
    const silenceSeconds = timeSeconds - this.#latestSeconds
    return silenceSeconds > MAX_SILENCE_SECONDS || timeSeconds < lastSeconds - MAX_STEP_BACK_SECONDS
  }

  #begin(atSeconds: number): void {
    this.#targetSeconds ??= Math.max(Math.ceil(this.#fragmentSeconds), Math.round(atSeconds - this.#startSeconds))
    this.#startSeconds = atSeconds
    this.#sizeBytes = 0
    this.#startsWithKeyframe = undefined
  }

  #mainCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const elapsed = timeSeconds - this.#startSeconds
    if (elapsed <= 0) return undefined
    const hasMain = this.#mainSeconds !== undefined
    // A keyframe after a forced cut ends the segment early, so that segments begin with keyframes again.
    const isMended = this.#startsWithKeyframe !== true && (hasMain || elapsed > MAX_AHEAD_SECONDS)
    // The times of the source may be rounded.
    const isDue = elapsed + this.#steadySeconds / 2 >= this.#fragmentSeconds
    if (unit.keyframe && (isDue || isMended)) return this.#within(timeSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull || elapsed + this.#steadySeconds > this.limitSeconds ? this.#within(timeSeconds) : undefined
  }

  /** Makes time go on by the other tracks while the main track pauses. */
  #otherCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const clockSeconds = timeSeconds - MAX_AHEAD_SECONDS
    if (clockSeconds - this.#startSeconds > this.limitSeconds) return this.#within(clockSeconds)
    const mainEndSeconds = (this.#mainSeconds ?? -Infinity) + this.#steadySeconds
    const endSeconds = Math.max(mainEndSeconds, clockSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull && endSeconds > this.#startSeconds ? this.#within(endSeconds) : undefined
  }

  #within(timeSeconds: number): number {
    return Math.min(timeSeconds, this.#startSeconds + this.limitSeconds)
  }
}
