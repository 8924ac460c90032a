/** What a frame is taken to last before two of a track have come. */
const DEFAULT_STEP_SECONDS = 0.04
/** A longer step is a pause, and says nothing of the pace. */
const MAX_STEP_SECONDS = 5

/** How the frames of one track follow each other. */
export class FramePace {
  #lastSeconds: number | undefined
  #stepSeconds = DEFAULT_STEP_SECONDS
  #minSeconds = Infinity
  #maxSeconds = 0
  #sumSeconds = 0
  #count = 0

  take(timeSeconds: number): void {
    const step = timeSeconds - (this.#lastSeconds ?? timeSeconds)
    this.#lastSeconds = timeSeconds
    if (step <= 0 || step > MAX_STEP_SECONDS) return
    this.#stepSeconds = step
    this.#minSeconds = Math.min(this.#minSeconds, step)
    this.#maxSeconds = Math.max(this.#maxSeconds, step)
    this.#sumSeconds += step
    this.#count += 1
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

  get maxSeconds(): number {
    return Math.max(this.#maxSeconds, this.#stepSeconds)
  }
}
