import type { AccessUnit, Track } from 'sluice/sdk'
import { MAX_STEP_SECONDS } from './frame-pace.ts'
import type { FramePace } from './frame-pace.ts'

/** The first segment ends this much past the fragment's length when no keyframe comes; it sets the target duration. */
const FIRST_SEGMENT_MARGIN_SECONDS = 10
/** A duration may pass the target duration by this, since its rounded value must not pass it. */
const ROUNDING_SECONDS = 0.499
/** Units of all renditions, whatever the bitrate: past it a segment is cut as it is. */
export const MAX_SEGMENT_SIZE_BYTES = 64 * 1024 * 1024
/** When no track had anything for longer than this, a new period begins. A pause of one track alone is none. */
const MAX_SILENCE_SECONDS = MAX_STEP_SECONDS
/** A track's step back that is longer than this begins a new period. */
const MAX_STEP_BACK_SECONDS = 5
/** The leading track is taken to pause when others are this far ahead; time then goes on without it. */
const MAX_LEAD_SECONDS = 1
/** Media may go on this far past the longest duration that can be told of its segment. */
const MAX_OVERSHOOT_SECONDS = 1.5

/** The place where a segment ends and the next begins. */
export type Cut = { readonly atSeconds: number }

export type SegmentCutterOptions = {
  readonly fragmentSeconds: number
  /** Undefined before the first cut of all. */
  readonly targetSeconds: number | undefined
  readonly lead: Track
  /** The pace of the leading track, which the caller gives each frame before it asks for cuts. */
  readonly pace: Pick<FramePace, 'stepSeconds' | 'steadySeconds'>
  readonly startSeconds: number
}

/**
 * Says where segments of one period end: at the first keyframe of the leading track once the fragment's length is
 * reached, before the target duration would be passed, and at a limit of bytes. The first segment sets the target.
 */
export class SegmentCutter {
  readonly #fragmentSeconds: number
  readonly #lead: Track
  readonly #pace: Pick<FramePace, 'stepSeconds' | 'steadySeconds'>
  /** The pace up to the newest unit that was taken. */
  #stepSeconds: number
  #steadySeconds: number
  /** By the id of a track. */
  readonly #lastSeconds = new Map<number, number>()
  #leadSeconds: number | undefined
  #targetSeconds: number | undefined
  #startSeconds: number
  #latestSeconds: number
  #sizeBytes = 0
  /** Whether the leading track begins the segment with a keyframe; undefined before its first unit. */
  #startsWithKeyframe: boolean | undefined
  /** All cuts before this unit have been made. */
  #reached: AccessUnit | undefined

  constructor(options: SegmentCutterOptions) {
    this.#fragmentSeconds = options.fragmentSeconds
    this.#targetSeconds = options.targetSeconds
    this.#lead = options.lead
    this.#pace = options.pace
    this.#stepSeconds = options.pace.stepSeconds
    this.#steadySeconds = options.pace.steadySeconds
    this.#startSeconds = options.startSeconds
    this.#latestSeconds = options.startSeconds
  }

  /** A whole number, fixed by the first cut. */
  get targetSeconds(): number | undefined {
    return this.#targetSeconds
  }

  /** All cuts up to here are known. */
  get clockSeconds(): number {
    return Math.max(this.#leadSeconds ?? -Infinity, this.#latestSeconds - MAX_LEAD_SECONDS)
  }

  /** No segment is longer. */
  get limitSeconds(): number {
    return this.#targetSeconds === undefined
      ? this.#fragmentSeconds + FIRST_SEGMENT_MARGIN_SECONDS
      : this.#targetSeconds + ROUNDING_SECONDS
  }

  /**
   * The next cut before a unit; undefined when there is none any more. To be asked again once the cut was made, as time
   * may have gone on past more than one. `jump` when another period begins with the unit.
   */
  nextCut(unit: AccessUnit, timeSeconds: number): Cut | 'jump' | undefined {
    if (unit === this.#reached) return undefined
    if (this.#isJump(unit.track.id, timeSeconds)) return 'jump'
    const isLead = unit.track.id === this.#lead.id
    const clockSeconds = isLead ? timeSeconds : timeSeconds - MAX_LEAD_SECONDS
    const atSeconds = isLead ? this.#leadCut(unit, timeSeconds) : this.#otherCut(unit, timeSeconds)
    if (atSeconds === undefined) return undefined
    if (clockSeconds - atSeconds > MAX_OVERSHOOT_SECONDS) return 'jump'
    this.#begin(atSeconds)
    if (atSeconds >= clockSeconds) this.#reached = unit
    return { atSeconds }
  }

  /** Takes the next unit, after the cuts before it. */
  take(unit: AccessUnit, timeSeconds: number): void {
    if (unit.track.id === this.#lead.id) {
      this.#startsWithKeyframe ??= unit.keyframe
      this.#leadSeconds = timeSeconds
      this.#stepSeconds = this.#pace.stepSeconds
      this.#steadySeconds = this.#pace.steadySeconds
    }
    this.#reached = undefined
    this.#sizeBytes += unit.sizeBytes
    this.#lastSeconds.set(unit.track.id, timeSeconds)
    this.#latestSeconds = Math.max(this.#latestSeconds, timeSeconds)
  }

  /** Corrects where the segment begins: its parts may not have filled the one before. */
  startAt(seconds: number): void {
    this.#startSeconds = seconds
  }

  /** Gives the end of the last segment, when nothing more comes. */
  finish(): Cut {
    const lastSeconds = Math.max(this.#leadSeconds ?? this.#startSeconds, this.#startSeconds)
    // A picture that may stay for long is not told to be longer than is known.
    const leadEndSeconds = lastSeconds + Math.min(this.#stepSeconds, MAX_LEAD_SECONDS)
    const isPaused = this.#latestSeconds - MAX_LEAD_SECONDS > leadEndSeconds
    const atSeconds = this.#within(isPaused ? this.#latestSeconds : leadEndSeconds)
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

  #leadCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const elapsed = timeSeconds - this.#startSeconds
    if (elapsed <= 0) return undefined
    const hasLead = this.#leadSeconds !== undefined
    // After a forced cut, any keyframe is the place to be whole again.
    const isMended = this.#startsWithKeyframe !== true && (hasLead || elapsed > MAX_LEAD_SECONDS)
    // Times may be rounded.
    const isDue = elapsed + this.#steadySeconds / 2 >= this.#fragmentSeconds
    if (unit.keyframe && (isDue || isMended)) return this.#within(timeSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull || elapsed + this.#steadySeconds > this.limitSeconds ? this.#within(timeSeconds) : undefined
  }

  /** While the leading track pauses, the others make time go on. */
  #otherCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const clockSeconds = timeSeconds - MAX_LEAD_SECONDS
    if (clockSeconds - this.#startSeconds > this.limitSeconds) return this.#within(clockSeconds)
    const leadEndSeconds = (this.#leadSeconds ?? -Infinity) + this.#steadySeconds
    const endSeconds = Math.max(leadEndSeconds, clockSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull && endSeconds > this.#startSeconds ? this.#within(endSeconds) : undefined
  }

  #within(timeSeconds: number): number {
    return Math.min(timeSeconds, this.#startSeconds + this.limitSeconds)
  }
}
