import type { ServerClock } from './server-clock.ts'

/** The largest drift of a stream's clock from the server's; dates that drift farther are corrected. */
const MAX_DRIFT_MS = 2000

/** Dates as plain data, which another generation continues. */
export type KeptDates = {
  /** The uptime at the time 0 of the stream; undefined once the subscriber was moved, since the next one has other times. */
  readonly shiftMs: number | undefined
  /** See {@link StreamDates.zeroMs}. */
  readonly zeroMs: number
  /** The uptime at which the recording began. */
  readonly beganMs: number
  /** The uptime up to which its files have dates. */
  readonly latestMs: number
  /** True when the next file begins where one ends, without a gap. */
  readonly isContinuous: boolean
}

/** Converts times of a stream to uptimes of the server, and to dates by the clock that applies to a file. */
export class StreamDates {
  readonly #clock: Pick<ServerClock, 'uptimeMs' | 'zeroMs'>
  /** The uptime at the time 0 of the stream. */
  #shiftMs: number
  #zeroMs: number

  /**
   * @param timeMs the newest time of the stream
   * @param before the dates that these continue
   */
  constructor(timeMs: number, clock: Pick<ServerClock, 'uptimeMs' | 'zeroMs'>, before?: KeptDates) {
    this.#clock = clock
    this.#shiftMs = before?.shiftMs ?? Math.round(clock.uptimeMs - timeMs)
    this.#zeroMs = before?.zeroMs ?? clock.zeroMs
  }

  get shiftMs(): number {
    return this.#shiftMs
  }

  /** The date of the server's uptime 0 that dates are computed from. */
  get zeroMs(): number {
    return this.#zeroMs
  }

  /** True when the clock was set since dates were last corrected. */
  get isClockSet(): boolean {
    return this.#clock.zeroMs !== this.#zeroMs
  }

  uptimeOf(timeMs: number): number {
    return Math.round(timeMs) + this.#shiftMs
  }

  /**
   * Corrects the dates when the clock was set, when they have drifted from it, or when the stream has stood still.
   * @param timeMs a time of the stream that is written now
   * @param latestMs the latest uptime that was written, which the date can't precede; -Infinity when nothing was written
   * @returns the date of that time, in milliseconds since the Unix epoch
   */
  adjust(timeMs: number, latestMs: number): number {
    if (latestMs === -Infinity) return this.uptimeOf(timeMs) + this.#zeroMs
    const nowMs = this.#clock.uptimeMs
    if (Math.abs(nowMs - this.uptimeOf(timeMs)) > MAX_DRIFT_MS) {
      this.#shiftMs += Math.round(Math.max(nowMs, latestMs)) - this.uptimeOf(timeMs)
    }
    this.#zeroMs = this.#clock.zeroMs
    return Math.max(this.uptimeOf(timeMs), latestMs) + this.#zeroMs
  }
}
