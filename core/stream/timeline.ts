import type { AccessUnit } from 'sluice/sdk'
import { CounterUnwrapper, rescale } from 'sluice/sdk/media'

/**
 * The latest first time of a new stream that keeps its source's times; others begin here, to leave room for a track that
 * starts earlier.
 */
export const LEAD_MS = 1000
/** The largest step back that counts as jitter, and is flattened; a larger one is a jump. */
export const MAX_ROLLBACK_MS = 1000
/** The largest step forward ahead of the clock; a larger one is a jump. */
const MAX_LEAP_MS = 5000
/** The same for the first unit of a track after a pause: media that was left out in the pause takes no time. */
const MAX_RESUME_LEAP_MS = 500
/** The longest step that is left between the units before and after a break in time. */
const MAX_BREAK_STEP_MS = 100
/** The largest distance of presentation from decoding time; with a larger one the presentation time is not believed. */
export const MAX_CTS_MS = 10_000

type TrackTime = {
  readonly unwrapper: CounterUnwrapper | undefined
  readonly timescale: number
  /** The ticks that are added to the source's times. */
  offset: number
  lastRaw: number
  /** The latest source time with its offset; below `lastDts` while that is held back by a floor. */
  highest: number
  lastDts: number
  lastStep: number
  lastWriteMs: number
  /** The corrections that its units have had so far, see `AccessUnit.correctedMs`. */
  correctedMs: number
  /** The number of jumps that were closed when it took its offset. */
  jumps: number
  /** True for sound that a correction has put back by more than jitter: its units are left out up to the time where it was. */
  isBehind: boolean
  /** The largest step forward that is no jump. */
  maxLeapMs: number
}

type TimelineOptions = {
  /** The time of the first unit, for a stream that goes on after another publisher; undefined for a new stream. */
  readonly startMs?: number | undefined
  /** The width of the source's time stamps in bits, when they wrap. */
  readonly timestampBits?: number | undefined
  /** The divisor of the source's times; default 1. */
  readonly scale?: number
}

/**
 * Corrects the times of a publisher's units: unwraps counters, starts near zero, flattens small steps back, and closes jumps,
 * all tracks by the same amount so that audio and video stay together. Times that are in order are only shifted by a
 * constant.
 *
 * A correction is no jump: a plugin that knows the source's clock better than before has moved one track against the others,
 * and marks the unit by `correctedMs`. The correction is kept. Units of a track that is put back by more than jitter are left
 * out up to the time that the track had reached.
 *
 * A jump makes a new offset. A track that jumps after another one takes over its offset when this makes it go on smoothly; a
 * track that has not jumped yet keeps its own. Data, which may come once in a long while, takes over the newest offset when
 * this puts it nearer to the other tracks.
 */
export class Timeline {
  #floorMs: number
  #startMs: number | undefined
  readonly #bits: number | undefined
  readonly #tracks = new Map<number, TrackTime>()
  /** The newest offset. */
  #offsetMs: number | undefined
  #lastMs: number
  #jumps = 0
  #scale: number

  constructor(options: TimelineOptions = {}) {
    this.#startMs = options.startMs
    this.#bits = options.timestampBits
    this.#floorMs = options.startMs ?? 0
    this.#lastMs = this.#floorMs
    this.#scale = options.scale ?? 1
  }

  /** The latest decoding time given out, over all tracks, in milliseconds; the start before that. */
  get lastMs(): number {
    return this.#lastMs
  }

  /** The number of jumps that were closed. */
  get jumps(): number {
    return this.#jumps
  }

  /**
   * Replaces the unit's times. `nowMs` is a monotonic clock.
   * @returns false for a unit that is to be left out, as its time is past
   */
  place(unit: AccessUnit, nowMs: number): boolean {
    const { timescale, id } = unit.track
    const cts = this.#scaled(this.#cts(unit))
    let time = this.#tracks.get(id)
    if (time === undefined) {
      time = this.#start(unit, nowMs)
      this.#tracks.set(id, time)
    }
    const raw = this.#scaled(time.unwrapper ? time.unwrapper.unwrap(unit.dts) : unit.dts)
    if (unit.track.kind === 'data') this.#joinOthers(time, raw)
    const isCorrected = unit.correctedMs !== time.correctedMs
    this.#follow(time, raw, nowMs, isCorrected ? this.#correct(time, unit.correctedMs) : 0)
    if (isCorrected && unit.track.kind === 'audio') time.isBehind = behindMs(time) > MAX_ROLLBACK_MS
    if (time.isBehind && behindMs(time) > 0) return false
    time.isBehind = false
    const dts = (time.lastDts = Math.max(time.lastDts, raw + time.offset))
    unit.dts = dts
    unit.pts = Math.max(0, dts + cts)
    const ms = rescale(dts, timescale, 1000)
    if (ms > this.#lastMs) this.#lastMs = ms
    return true
  }

  /** Begins all tracks anew: the next units follow in time, but have nothing else to do with those before. */
  restart(): void {
    if (this.#tracks.size === 0) return
    let stepMs = 1
    for (const { lastStep, timescale } of this.#tracks.values()) {
      stepMs = Math.max(stepMs, Math.round((lastStep * 1000) / timescale))
    }
    this.#startMs = this.#floorMs = this.#lastMs + Math.min(stepMs, MAX_BREAK_STEP_MS)
    this.#offsetMs = undefined
    this.#tracks.clear()
  }

  /** Continues after a pause: the time goes on where it was, whether the source's time stamps do or leap. */
  resume(nowMs: number): void {
    for (const time of this.#tracks.values()) {
      time.maxLeapMs = MAX_RESUME_LEAP_MS
      time.lastWriteMs = nowMs
    }
  }

  /** Sets the divisor of the source's times from now on. */
  set scale(scale: number) {
    if (scale === this.#scale) return
    this.restart()
    this.#scale = scale
  }

  /** Forgets a track that ended. */
  forget(trackId: number): void {
    this.#tracks.delete(trackId)
  }

  #scaled(ticks: number): number {
    return this.#scale === 1 ? ticks : Math.round(ticks / this.#scale)
  }

  // The presentation time may have wrapped before the decoding time has.
  #cts(unit: AccessUnit): number {
    let cts = unit.pts - unit.dts
    if (this.#bits !== undefined) {
      const range = 2 ** this.#bits
      cts -= Math.round(cts / range) * range
    }
    return Math.abs(cts) * 1000 > MAX_CTS_MS * unit.track.timescale ? 0 : cts
  }

  #start({ dts, track: { timescale, kind }, correctedMs }: AccessUnit, nowMs: number): TrackTime {
    const nearest = this.#nearest(dts, timescale)
    const raw = this.#scaled(nearest)
    const rawMs = rescale(raw, timescale, 1000)
    let offsetMs = this.#offsetMs
    if (offsetMs === undefined) {
      this.#lastMs = this.#startMs ?? (rawMs >= 0 && rawMs <= LEAD_MS ? rawMs : LEAD_MS)
      offsetMs = this.#offsetMs = this.#lastMs - rawMs
    } else if (correctedMs === 0 && Math.abs(rawMs + offsetMs - this.#lastMs) > MAX_LEAP_MS + LEAD_MS) {
      offsetMs = this.#lastMs - rawMs
    }
    const unwrapper = this.#bits === undefined ? undefined : new CounterUnwrapper(this.#bits)
    unwrapper?.unwrap(nearest)
    const offset = rescale(offsetMs, 1000, timescale)
    return {
      unwrapper,
      timescale,
      offset,
      lastRaw: raw,
      highest: raw + offset,
      lastDts: rescale(this.#floorMs, 1000, timescale),
      lastStep: 0,
      lastWriteMs: nowMs,
      correctedMs,
      jumps: this.#jumps,
      isBehind: kind === 'audio' && correctedMs !== 0 && rawMs + offsetMs < this.#floorMs - MAX_ROLLBACK_MS,
      maxLeapMs: MAX_LEAP_MS,
    }
  }

  // A further track may start on the other side of a wrap than the tracks before it.
  #nearest(counter: number, timescale: number): number {
    if (this.#bits === undefined || this.#offsetMs === undefined) return counter
    const range = 2 ** this.#bits
    const expected = rescale((this.#lastMs - this.#offsetMs) * this.#scale, 1000, timescale)
    return counter + Math.round((expected - counter) / range) * range
  }

  #joinOthers(time: TrackTime, raw: number): void {
    const { timescale } = time
    const offset = rescale(this.#offsetMs ?? 0, 1000, timescale)
    const last = rescale(this.#lastMs, 1000, timescale)
    if (Math.abs(raw + offset - last) >= Math.abs(raw + time.offset - last)) return
    time.offset = offset
    time.highest = raw + offset
  }

  // Where another track has jumped since, the correction may be the same jump for this one: it is returned, to be tried.
  #correct(time: TrackTime, correctedMs: number): number {
    const byMs = correctedMs - time.correctedMs
    time.correctedMs = correctedMs
    const ticks = this.#scaled(Math.round((byMs * time.timescale) / 1000))
    if (time.jumps !== this.#jumps) return ticks
    time.lastRaw += ticks
    time.highest += ticks
    return 0
  }

  #follow(time: TrackTime, raw: number, nowMs: number, correction: number): void {
    const elapsedMs = nowMs - time.lastWriteMs
    const step = raw - time.lastRaw
    time.lastRaw = raw
    time.lastWriteMs = nowMs
    const aheadMs = ((raw + time.offset - time.highest) * 1000) / time.timescale
    if (isJump(aheadMs, time.maxLeapMs + elapsedMs)) this.#jump(time, raw, elapsedMs, correction)
    else if (step > 0) time.lastStep = step
    time.maxLeapMs = MAX_LEAP_MS
    time.highest = Math.max(time.highest, raw + time.offset)
  }

  #jump(time: TrackTime, raw: number, elapsedMs: number, correction: number): void {
    const { timescale, lastDts, highest, maxLeapMs } = time
    const offset = rescale(this.#offsetMs ?? 0, 1000, timescale)
    const goesOn = (from: number) => !isJump(((raw + offset - from) * 1000) / timescale, maxLeapMs + elapsedMs)
    if (!goesOn(lastDts) && (correction === 0 || !goesOn(highest + correction))) {
      this.#jumps++
      // Without a pause the track goes on as it went; after one, it goes on where the other tracks are by now.
      const paused = elapsedMs > MAX_ROLLBACK_MS ? Math.round((elapsedMs * timescale) / 1000) : 0
      this.#offsetMs = rescale(lastDts + Math.max(time.lastStep, paused) - raw, timescale, 1000)
    }
    time.offset = rescale(this.#offsetMs ?? 0, 1000, timescale)
    time.highest = raw + time.offset
    time.jumps = this.#jumps
  }
}

/** The milliseconds by which the source's times are before those that were given out. */
function behindMs({ lastDts, highest, timescale }: TrackTime): number {
  return ((lastDts - highest) * 1000) / timescale
}

function isJump(aheadMs: number, maxAheadMs: number): boolean {
  return aheadMs < -MAX_ROLLBACK_MS || aheadMs > maxAheadMs
}
