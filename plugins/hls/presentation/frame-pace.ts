import { rhythmOf } from './frame-rhythm.ts'
import type { FrameRhythm } from './frame-rhythm.ts'

/** What a frame is taken to last before two of a track have come. */
const DEFAULT_STEP_SECONDS = 0.04
/** A longer step is a pause, and says nothing of the pace. */
const MAX_STEP_SECONDS = 5
/** The first steps, of which the rhythm is; more than a first segment has. */
const MAX_RHYTHM_STEPS = 1000

/** How the frames of one track follow each other. */
export class FramePace {
  #lastSeconds: number | undefined
  #stepSeconds = DEFAULT_STEP_SECONDS
  /** The shorter of the two newest steps: one long step is a lost frame, and two are a pace. */
  #steadySeconds = DEFAULT_STEP_SECONDS
  #minSeconds = Infinity
  #sumSeconds = 0
  #count = 0
  readonly #firstSteps: number[] = []

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
  }

  /** Where the newest frame begins, and by the pace so far ends; undefined before the first. */
  get lastSeconds(): number | undefined {
    return this.#lastSeconds
  }

  /** The newest step. */
  get stepSeconds(): number {
    return this.#stepSeconds
  }

  get averageSeconds(): number {
    return this.#count > 0 ? this.#sumSeconds / this.#count : this.#stepSeconds
  }

  get minSeconds(): number {
    return Math.min(this.#minSeconds, this.#stepSeconds)
  }

  /** Whether frames can be cut into parts: not those that are longer, but one alone that the next ones make up for. */
  fits(partTargetSeconds: number): boolean {
    return this.#stepSeconds <= partTargetSeconds || this.#steadySeconds * 2 <= partTargetSeconds
  }

  get rhythm(): FrameRhythm {
    return rhythmOf(this.#count > 0 ? this.#firstSteps : [this.#stepSeconds])
  }
}
