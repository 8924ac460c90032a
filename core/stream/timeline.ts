import type { AccessUnit } from 'sluice/sdk'
import { CounterUnwrapper, rescale } from 'sluice/sdk/media'

/** A new stream whose first time lies within this keeps its source's times; others begin here, to leave room for a track that starts earlier. */
export const LEAD_MS = 1000
/** A step back up to this is jitter and is flattened; a larger one is a jump. */
export const MAX_ROLLBACK_MS = 1000
/** A step forward that runs ahead of the clock by more than this is a jump. */
export const MAX_LEAP_MS = 5000
/** Largest distance of presentation from decoding time; past it the presentation time is not believed. */
export const MAX_CTS_MS = 10_000

type TrackTime = {
  readonly unwrapper: CounterUnwrapper | undefined
  readonly timescale: number
  /** The epoch its offset is of. */
  epoch: number
  /** Added to the source's times, in ticks. */
  offset: number
  lastRaw: number
  lastDts: number
  lastStep: number
  lastWriteMs: number
}

type TimelineOptions = {
  /** Where the first unit goes, for a stream that goes on after another publisher; undefined for a new stream. */
  readonly startMs?: number | undefined
  /** Width of the source's time stamps in bits when they wrap. */
  readonly timestampBits?: number | undefined
}

/**
 * Sets the times of a publisher's units right: unwraps counters, starts near zero, flattens small steps back, and closes
 * jumps, all tracks by the same amount so that audio and video stay together. Times that are in order are only shifted
 * by a constant.
 *
 * A jump opens a new epoch with a new offset. A track that jumps after another has takes over that epoch's offset when
 * this makes it go on smoothly; a track that has not jumped yet keeps its own.
 */
export class Timeline {
  readonly #options: TimelineOptions
  readonly #tracks = new Map<number, TrackTime>()
  #epoch = 0
  #offsetMs: number | undefined
  #lastMs = 0
  #jumps = 0

  constructor(options: TimelineOptions = {}) {
    this.#options = options
  }

  /** The latest decoding time given out, over all tracks, in milliseconds. */
  get lastMs(): number {
    return this.#lastMs
  }

  /** How many jumps were closed. */
  get jumps(): number {
    return this.#jumps
  }

  /** Replaces the unit's times. `nowMs` is a monotonic clock. */
  place(unit: AccessUnit, nowMs: number): void {
    const { timescale, id } = unit.track
    const cts = unit.pts - unit.dts
    let time = this.#tracks.get(id)
    if (time === undefined) {
      time = this.#start(unit.dts, timescale, nowMs)
      this.#tracks.set(id, time)
    }
    const raw = time.unwrapper ? time.unwrapper.unwrap(unit.dts) : unit.dts
    const dts = this.#follow(time, raw, nowMs)
    unit.dts = dts
    unit.pts = Math.abs(cts) * 1000 > MAX_CTS_MS * timescale ? dts : dts + cts
    const ms = rescale(dts, timescale, 1000)
    if (ms > this.#lastMs) this.#lastMs = ms
  }

  #start(raw: number, timescale: number, nowMs: number): TrackTime {
    const rawMs = rescale(raw, timescale, 1000)
    if (this.#offsetMs === undefined) {
      const startMs = this.#options.startMs ?? (rawMs >= 0 && rawMs <= LEAD_MS ? rawMs : LEAD_MS)
      this.#offsetMs = startMs - rawMs
      this.#lastMs = startMs
    } else if (Math.abs(rawMs + this.#offsetMs - this.#lastMs) > MAX_LEAP_MS + LEAD_MS) {
      return this.#trackTime(raw, timescale, this.#lastMs - rawMs, nowMs)
    }
    return this.#trackTime(raw, timescale, this.#offsetMs, nowMs)
  }

  #trackTime(raw: number, timescale: number, offsetMs: number, nowMs: number): TrackTime {
    const bits = this.#options.timestampBits
    const offset = rescale(offsetMs, 1000, timescale)
    const unwrapper = bits === undefined ? undefined : new CounterUnwrapper(bits)
    const lastDts = Math.max(0, raw + offset)
    return { unwrapper, timescale, epoch: this.#epoch, offset, lastRaw: raw, lastDts, lastStep: 0, lastWriteMs: nowMs }
  }

  #follow(time: TrackTime, raw: number, nowMs: number): number {
    const step = raw - time.lastRaw
    const stepMs = (step * 1000) / time.timescale
    const aheadMs = stepMs - (nowMs - time.lastWriteMs)
    time.lastRaw = raw
    time.lastWriteMs = nowMs
    if (stepMs < -MAX_ROLLBACK_MS || (stepMs > MAX_LEAP_MS && aheadMs > MAX_LEAP_MS)) return this.#jump(time, raw)
    if (step > 0) time.lastStep = step
    return (time.lastDts = Math.max(time.lastDts, raw + time.offset))
  }

  #jump(time: TrackTime, raw: number): number {
    const newest = rescale(this.#offsetMs ?? 0, 1000, time.timescale)
    const there = raw + newest - time.lastDts
    if (time.epoch === this.#epoch || there < 0 || there > (MAX_LEAP_MS * time.timescale) / 1000) {
      this.#jumps++
      this.#epoch++
      this.#offsetMs = rescale(time.lastDts + time.lastStep - raw, time.timescale, 1000)
    }
    time.epoch = this.#epoch
    time.offset = rescale(this.#offsetMs ?? 0, 1000, time.timescale)
    return (time.lastDts = Math.max(time.lastDts, raw + time.offset))
  }
}
