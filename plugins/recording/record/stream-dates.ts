import type { ServerClock } from './server-clock.ts'

/** The clock of a stream may run so far from that of the server before dates are set right. */
const MAX_DRIFT_MS = 2000

/** Dates as plain data, by which another generation goes on. */
export type KeptDates = {
  /** The uptime at the time 0 of the stream; undefined where its times are others for the next one, as it was moved to another stream. */
  readonly shiftMs: number | undefined
  /** See {@link StreamDates.zeroMs}. */
  readonly zeroMs: number
  /** The uptimes at which the recording began, and up to which its files have dates. */
  readonly beganMs: number
  readonly latestMs: number
  /** True when the next file begins where one ends, without a gap. */
  readonly isContinuous: boolean
}

/** When the media of a stream came, by its times: as uptime of the server, and as date by the clock that holds for a file. */
export class StreamDates {
  readonly #clock: Pick<ServerClock, 'uptimeMs' | 'zeroMs'>
  /** The uptime at the time 0 of the stream. */
  #shiftMs: number
  #zeroMs: number

  /**
   * @param timeMs the newest time of the stream
   * @param before the dates that these go on from
   */
  constructor(timeMs: number, clock: Pick<ServerClock, 'uptimeMs' | 'zeroMs'>, before?: KeptDates) {
    this.#clock = clock
    this.#shiftMs = before?.shiftMs ?? Math.round(clock.uptimeMs - timeMs)
    this.#zeroMs = before?.zeroMs ?? clock.zeroMs
  }

  get shiftMs(): number {
    return this.#shiftMs
  }

  /** The date of the server's uptime 0 by which dates are given. */
  get zeroMs(): number {
    return this.#zeroMs
  }

  /** True when the clock was set since dates were last set right. */
  get isClockSet(): boolean {
    return this.#clock.zeroMs !== this.#zeroMs
  }

  uptimeOf(timeMs: number): number {
    return Math.round(timeMs) + this.#shiftMs
  }

  /**
   * Sets dates right where the clock was set, where they have drifted from it, or the stream stood still.
   * @param timeMs a time of the stream that is written now
   * @param latestMs the latest uptime that was written; what follows is no earlier. -Infinity where nothing was
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
