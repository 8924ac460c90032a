import type { Period } from './segment.ts'

/** Counts the periods of a presentation, and puts them on the wall clock. */
export class PeriodClock {
  readonly #nowMs: () => number
  #periods = 0
  #lastEndMs = 0

  /** @param nowMs the wall clock, in milliseconds since the Unix epoch */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** The number of periods so far. */
  get periods(): number {
    return this.#periods
  }

  /** Begins a period, not before the last one has ended, with a unit that has just come. */
  begin(startSeconds: number): Period {
    const originMs = Math.max(this.#originMs(startSeconds), this.#lastEndMs - startSeconds * 1000)
    return { index: this.#periods++, originMs }
  }

  /**
   * Corrects the first period by a unit that has just come: units may come in a burst at first, from the past, and the least late one sets
   * the clock.
   */
  follow(period: Period, timeSeconds: number): void {
    if (period.index === 0) period.originMs = Math.min(period.originMs, this.#originMs(timeSeconds))
  }

  end({ originMs }: Period, endSeconds: number): void {
    this.#lastEndMs = originMs + endSeconds * 1000
  }

  /** Begins the count again. */
  reset(): void {
    this.#periods = 0
  }

  /** The wall clock of the media time 0. */
  #originMs(timeSeconds: number): number {
    return this.#nowMs() - timeSeconds * 1000
  }
}
