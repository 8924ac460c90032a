import type { AccessUnit } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'
import type { LatestTimes } from '../latest-times.ts'

type TimeShiftOptions = {
  readonly offsetMs: number
  readonly clockOffsetMs: number
  readonly formerTimes: LatestTimes
}

/** The difference of the times of subscribers that were moved to a stream from the stream's own. */
export class TimeShift {
  /** The milliseconds that are added to the stream's times. */
  readonly offsetMs: number
  /** The offset by the clocks of the streams; `offsetMs` is larger where a time would step back otherwise. */
  readonly clockOffsetMs: number
  /** The latest times that its subscribers had when they were moved. */
  readonly formerTimes: LatestTimes
  #unit: AccessUnit | undefined
  #shifted: AccessUnit | undefined

  constructor({ offsetMs, clockOffsetMs, formerTimes }: TimeShiftOptions) {
    this.offsetMs = offsetMs
    this.clockOffsetMs = clockOffsetMs
    this.formerTimes = formerTimes
  }

  /**
   * Returns the unit at the subscribers' time: the same object for all of them. The first units of a track that begins after
   * the move may be earlier than the former ones of its kind; they are set to the time after these.
   */
  of(unit: AccessUnit): AccessUnit {
    if (unit === this.#unit && this.#shifted !== undefined) return this.#shifted
    const { timescale, kind } = unit.track
    const offset = rescale(this.offsetMs, 1000, timescale)
    const { dtsMs, ptsMs } = this.formerTimes.next(kind)
    const dts = Math.max(unit.dts + offset, rescale(dtsMs, 1000, timescale))
    const pts = Math.max(unit.pts + offset, rescale(ptsMs, 1000, timescale))
    this.#unit = unit
    return (this.#shifted = unit.at(unit.track, dts, pts))
  }
}
