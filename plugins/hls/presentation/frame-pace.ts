import { rhythmOf } from './frame-rhythm.ts'
import type { FrameRhythm } from './frame-rhythm.ts'

/** The duration of a frame before two of a track have come. */
const DEFAULT_STEP_SECONDS = 0.04
/** The longest step of the pace; a longer one is a pause. Streams of keyframes alone may well have steps of 10 s. */
export const MAX_STEP_SECONDS = 12
/** The time over which jitter evens out. */
const PEAK_SECONDS = 0.5
/** The time for which frames must come faster than usual, by this factor, to count as a new pace. */
const MIN_PEAK_FACTOR = 1.25
/** The number of first steps that determine the rhythm; more than a first segment has. */
const MAX_RHYTHM_STEPS = 1000

/** Measures the intervals between the frames of one track. */
export class FramePace {
  #lastSeconds: number | undefined
  #stepSeconds = DEFAULT_STEP_SECONDS
  #steadySeconds = DEFAULT_STEP_SECONDS
  #minSeconds = Infinity
  #sumSeconds = 0
  #count = 0
  readonly #firstSteps: number[] = []
  /** The newest steps, as long as a peak takes. */
  readonly #newestSteps: number[] = []
  #newestSeconds = 0
  #peakRate = 0

  take(timeSeconds: number): void {
    const step = timeSeconds - (this.#lastSeconds ?? timeSeconds)
    this.#lastSeconds = timeSeconds
    if (step <= 0 || step > MAX_STEP_SECONDS) return
    this.#steadySeconds = this.#count > 0 ? Math.min(step, this.#stepSeconds) : step
    this.#stepSeconds = step
    this.#minSeconds = Math.min(this.#minSeconds, step)
    this.#sumSeconds += step
    this.#count += 1
    if (this.#firstSteps.length < MAX_RHYTHM_STEPS) this.#firstSteps.push(step)
    this.#noticePeak(step)
  }

  /** The time of the newest frame; undefined before the first. */
  get lastSeconds(): number | undefined {
    return this.#lastSeconds
  }

  /** The newest step. */
  get stepSeconds(): number {
    return this.#stepSeconds
  }

  /** The shorter of the two newest steps: one long step is a lost frame, and two are a pace. */
  get steadySeconds(): number {
    return this.#steadySeconds
  }

  /** The frames per second: the usual rate, or the highest when the pace changes. */
  get rate(): number {
    const usualRate = this.#count > 0 ? this.#count / this.#sumSeconds : 1 / this.#stepSeconds
    return this.#peakRate > usualRate * MIN_PEAK_FACTOR ? this.#peakRate : usualRate
  }

  get minSeconds(): number {
    return Math.min(this.#minSeconds, this.#stepSeconds)
  }

  /** True when frames can be cut into parts: none is longer than a part, except for single ones that the next ones make up for. */
  fits(partTargetSeconds: number): boolean {
    return this.#stepSeconds <= partTargetSeconds || this.#steadySeconds * 2 <= partTargetSeconds
  }

  get rhythm(): FrameRhythm {
    return rhythmOf(this.#count > 0 ? this.#firstSteps : [this.#stepSeconds])
  }

  #noticePeak(step: number): void {
    this.#newestSteps.push(step)
    this.#newestSeconds += step
    if (this.#newestSeconds < PEAK_SECONDS) return
    this.#peakRate = Math.max(this.#peakRate, this.#newestSteps.length / this.#newestSeconds)
    while (this.#newestSeconds >= PEAK_SECONDS) this.#newestSeconds -= this.#newestSteps.shift()!
  }
}
