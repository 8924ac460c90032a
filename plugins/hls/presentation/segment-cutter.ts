import type { AccessUnit, Track } from 'sluice/sdk'
import { FramePace, MAX_STEP_SECONDS } from './frame-pace.ts'

/** Without a keyframe, the first segment ends this much past the fragment's length; it sets the target duration. */
const FIRST_SEGMENT_MARGIN_SECONDS = 10
/** What a duration may have over the target duration, since it is its rounded value that must not pass it. */
const ROUNDING_SECONDS = 0.499
/** Units of all renditions, whatever the bitrate: past it a segment is cut as it is. */
export const MAX_SEGMENT_SIZE_BYTES = 64 * 1024 * 1024
/** When no track had anything for longer than this, a new timeline begins. A pause of one track alone is none. */
const MAX_SILENCE_SECONDS = MAX_STEP_SECONDS
/** A track's step back that is longer than this begins a new timeline. */
const MAX_STEP_BACK_SECONDS = 5
/** How far other tracks run ahead before the leading one is taken to pause, and time goes on without it. */
const MAX_LEAD_SECONDS = 1
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
  /** Of the leading track; undefined before its first unit. */
  #startsWithKeyframe: boolean | undefined

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
   * The cuts to be made before the next unit, each before the next is asked for: time may have gone on past more than
   * one. `jump` when another timeline begins with the unit.
   */
  *cutsBefore(unit: AccessUnit, timeSeconds: number): Generator<Cut | 'jump', void> {
    if (this.#isJump(unit.track, timeSeconds)) yield 'jump'
    const isLead = unit.track === this.#lead
    const clockSeconds = isLead ? timeSeconds : timeSeconds - MAX_LEAD_SECONDS
    let atSeconds: number | undefined
    do {
      atSeconds = isLead ? this.#leadCut(unit, timeSeconds) : this.#otherCut(unit, timeSeconds)
      if (atSeconds === undefined) return
      if (clockSeconds - atSeconds > MAX_OVERSHOOT_SECONDS) yield 'jump'
      this.#begin(atSeconds)
      yield { atSeconds }
    } while (atSeconds < clockSeconds)
  }

  /** Takes the next unit, after the cuts before it. */
  take(unit: AccessUnit, timeSeconds: number): void {
    if (unit.track === this.#lead) {
      this.#startsWithKeyframe ??= unit.keyframe
      this.#pace.take(timeSeconds)
    }
    this.#sizeBytes += unit.sizeBytes
    this.#lastSeconds.set(unit.track, timeSeconds)
    this.#latestSeconds = Math.max(this.#latestSeconds, timeSeconds)
  }

  /** Corrects where the segment begins: its parts may not have filled the one before. */
  startAt(seconds: number): void {
    this.#startSeconds = seconds
  }

  /** Where the last segment ends when nothing more comes. */
  finish(): Cut {
    const { lastSeconds = this.#startSeconds, stepSeconds } = this.#pace
    // A picture that may stay for long is not told to be longer than is known.
    const leadEndSeconds = Math.max(lastSeconds, this.#startSeconds) + Math.min(stepSeconds, MAX_LEAD_SECONDS)
    const isPaused = this.#latestSeconds - MAX_LEAD_SECONDS > leadEndSeconds
    const atSeconds = this.#within(isPaused ? this.#latestSeconds : leadEndSeconds)
    this.#begin(atSeconds)
    return { atSeconds }
  }

  #isJump(track: Track, timeSeconds: number): boolean {
    const lastSeconds = this.#lastSeconds.get(track)
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
    const { steadySeconds, lastSeconds } = this.#pace
    // After a forced cut, any keyframe is the place to be whole again.
    const isMended = this.#startsWithKeyframe !== true && (lastSeconds !== undefined || elapsed > MAX_LEAD_SECONDS)
    // Times may be rounded.
    const isDue = elapsed + steadySeconds / 2 >= this.#fragmentSeconds
    if (unit.keyframe && (isDue || isMended)) return this.#within(timeSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull || elapsed + steadySeconds > this.limitSeconds ? this.#within(timeSeconds) : undefined
  }

  /** While the leading track pauses, the others make time go on. */
  #otherCut(unit: AccessUnit, timeSeconds: number): number | undefined {
    const clockSeconds = timeSeconds - MAX_LEAD_SECONDS
    if (clockSeconds - this.#startSeconds > this.limitSeconds) return this.#within(clockSeconds)
    const { lastSeconds = -Infinity, steadySeconds } = this.#pace
    const endSeconds = Math.max(lastSeconds + steadySeconds, clockSeconds)
    const isFull = this.#sizeBytes + unit.sizeBytes > MAX_SEGMENT_SIZE_BYTES
    return isFull && endSeconds > this.#startSeconds ? this.#within(endSeconds) : undefined
  }

  #within(timeSeconds: number): number {
    return Math.min(timeSeconds, this.#startSeconds + this.limitSeconds)
  }
}
