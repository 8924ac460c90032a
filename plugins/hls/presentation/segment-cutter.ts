import type { AccessUnit, Track } from 'sluice/sdk'
import { FramePace } from './frame-pace.ts'

/** Without a keyframe, the first segment ends this much past the fragment's length; it sets the target duration. */
const FIRST_SEGMENT_MARGIN_SECONDS = 10
/** What a duration may have over the target duration, since it is its rounded value that must not pass it. */
const ROUNDING_SECONDS = 0.499
/** Units of all renditions, whatever the bitrate: past it a segment is cut as it is. */
export const MAX_SEGMENT_SIZE_BYTES = 64 * 1024 * 1024
/** A track's step forward that is longer than this begins a new timeline, as does one back. */
const MAX_STEP_SECONDS = 5
/** How far other tracks run ahead before the leading one is taken to pause, and time goes on without it. */
export const MAX_LEAD_SECONDS = 1
/** How far media may go on past the longest duration that can be told of its segment. */
const MAX_OVERSHOOT_SECONDS = 1.5

/** Where a segment ends and the next begins. */
export type Cut = { readonly atSeconds: number }

/**
 * Says where segments of one timeline end: at the first keyframe of the leading track once the fragment's length is
 * reached, before the target duration would be passed, and at a limit of bytes. The first segment sets the target.
 */
export class SegmentCutter {
  readonly #fragmentSeconds: number
  readonly #lead: Track
  readonly #pace = new FramePace()
  readonly #lastSeconds = new Map<Track, number>()
  #targetSeconds: number | undefined
  #startSeconds: number
  #latestSeconds: number
  #sizeBytes = 0
  #startsWithKeyframe = false

  constructor(init: { fragmentSeconds: number; targetSeconds: number | undefined; lead: Track; startSeconds: number }) {
    this.#fragmentSeconds = init.fragmentSeconds
    this.#targetSeconds = init.targetSeconds
    this.#lead = init.lead
    this.#startSeconds = init.startSeconds
    this.#latestSeconds = init.startSeconds
  }

  /** A whole number, fixed by the first cut. */
  get targetSeconds(): number | undefined {
    return this.#targetSeconds
  }

  /** All cuts up to here are known. */
  get clockSeconds(): number {
    return Math.max(this.#pace.lastSeconds ?? -Infinity, this.#latestSeconds - MAX_LEAD_SECONDS)
  }

  /** No segment is longer. */
  get limitSeconds(): number {
    return this.#targetSeconds === undefined
      ? this.#fragmentSeconds + FIRST_SEGMENT_MARGIN_SECONDS
      : this.#targetSeconds + ROUNDING_SECONDS
  }

  /**
   * Takes the next unit.
   * @returns the cut to be made before it, or `jump` when another timeline begins with it; it was not taken then.
   */
  take(unit: AccessUnit, timeSeconds: number): Cut | 'jump' | undefined {
    if (Math.abs(timeSeconds - (this.#lastSeconds.get(unit.track) ?? timeSeconds)) > MAX_STEP_SECONDS) return 'jump'
    const isLead = unit.track === this.#lead
    const atSeconds = isLead ? this.#leadCut(unit, timeSeconds) : this.#otherCut(unit, timeSeconds)
    if (atSeconds !== undefined && timeSeconds - atSeconds > MAX_OVERSHOOT_SECONDS && isLead) return 'jump'
    if (atSeconds !== undefined) this.#begin(atSeconds)
    if (isLead) {
      if (this.#pace.lastSeconds === undefined || atSeconds !== undefined) this.#startsWithKeyframe = unit.keyframe
      this.#pace.take(timeSeconds)
    }
    this.#sizeBytes += unit.sizeBytes
    this.#lastSeconds.set(unit.track, timeSeconds)
    this.#latestSeconds = Math.max(this.#latestSeconds, timeSeconds)
    return atSeconds === undefined ? undefined : { atSeconds }
  }

  /** Corrects where the segment begins: its parts may not have filled the one before. */
  startAt(seconds: number): void {
    this.#startSeconds = seconds
  }

  /** Where the last segment ends when nothing more comes. */
  finish(): Cut {
    const { lastSeconds, stepSeconds } = this.#pace
    const endSeconds = Math.max(
      (lastSeconds ?? this.#startSeconds) + stepSeconds,
      this.#latestSeconds - MAX_LEAD_SECONDS,
      this.#startSeconds + stepSeconds,
    )
    const atSeconds = Math.min(endSeconds, this.#startSeconds + this.limitSeconds)
    this.#begin(atSeconds)
    return { atSeconds }
  }

  #begin(atSeconds: number): void {
    this.#targetSeconds ??= Math.max(Math.ceil(this.#fragmentSeconds), Math.round(atSeconds - this.#startSeconds))
    this.#startSeconds = atSeconds
    this.#sizeBytes = 0
    this.#startsWithKeyframe = false
  }

  #leadCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const elapsed = timeSeconds - this.#startSeconds
    if (elapsed <= 0) return undefined
    const { stepSeconds, lastSeconds } = this.#pace
    // After a forced cut, any keyframe is the place to be whole again.
    const isMended = !this.#startsWithKeyframe && (lastSeconds !== undefined || elapsed > MAX_LEAD_SECONDS)
    // Times may be rounded.
    const isDue = elapsed + stepSeconds / 2 >= this.#fragmentSeconds
    if (unit.keyframe && (isDue || isMended)) return this.#within(timeSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull || elapsed + stepSeconds > this.limitSeconds ? this.#within(timeSeconds) : undefined
  }

  /** While the leading track pauses, the others make time go on. */
  #otherCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const { lastSeconds, stepSeconds } = this.#pace
    const clockSeconds = Math.max((lastSeconds ?? -Infinity) + stepSeconds, timeSeconds - MAX_LEAD_SECONDS)
    const elapsed = clockSeconds - this.#startSeconds
    if (elapsed <= 0) return undefined
    const isPaused = clockSeconds === timeSeconds - MAX_LEAD_SECONDS
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    const isOver = isPaused && elapsed + stepSeconds > this.limitSeconds
    return isFull || isOver ? this.#within(clockSeconds) : undefined
  }

  #within(timeSeconds: number): number {
    return Math.min(timeSeconds, this.#startSeconds + this.limitSeconds)
  }
}
