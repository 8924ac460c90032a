import type { AccessUnit } from '../access-unit.ts'
import { rescale } from '../time/rescale.ts'

/** An error up to this is one of the network, and is left alone. */
const MAX_ERROR_MS = 100
/** The step by which an error is reduced at a time, some 50 millionths: players follow the reported time, and must not jerk. */
const STEP_MS = 0.05
/** An error of the source's clock above this means that it has been set. */
const MIN_JUMP_MS = 1000

/**
 * Which wall clock time belongs to a stream's time: by the source's clock where that is known from the beginning, else by
 * ours. It stays with the one it has begun with, as the two may differ by hours.
 *
 * By our clock it never jumps, and a stream that was paused lags behind: players that compute times from reports, as ffmpeg
 * does, would see a jump as a gap in the media.
 */
export class WallClock {
  #isSource: boolean | undefined
  /** The milliseconds that are added to the stream's time. */
  #offsetMs = 0
  /** True when it follows a source's clock that has been set. */
  #jumps = true

  /** A clock that goes on from here for another stream, without a jump. */
  fork(): WallClock {
    const fork = new WallClock()
    fork.#isSource = this.#isSource
    fork.#offsetMs = this.#offsetMs
    fork.#jumps = this.#isSource === undefined
    return fork
  }

  /**
   * Looks at a unit, which has the time `timeMs` in the stream.
   * @param nowMs when it has come, in milliseconds since the Unix epoch
   */
  follow({ ntpMs, pts, track }: AccessUnit, timeMs: number, nowMs: number): void {
    const isFirst = this.#isSource === undefined
    this.#isSource ??= ntpMs !== undefined
    if (this.#isSource && ntpMs === undefined) return
    const offsetMs = this.#isSource ? ntpMs! - rescale(pts, track.timescale, 1000) : nowMs - timeMs
    const errorMs = offsetMs - this.#offsetMs
    const isSet = this.#isSource && this.#jumps && Math.abs(errorMs) > MIN_JUMP_MS
    if (isFirst || isSet) this.#offsetMs = offsetMs
    else if (Math.abs(errorMs) > MAX_ERROR_MS) this.#offsetMs += Math.sign(errorMs) * STEP_MS
  }

  /** Returns the wall clock's time in milliseconds since the Unix epoch. */
  at(timeMs: number): number {
    return timeMs + this.#offsetMs
  }
}
