import type { AccessUnit, Track } from 'sluice/sdk'
import { PES_TIMESCALE } from 'sluice/sdk/media'
import { ticksBetween, TS_MAX_GAP_TICKS, TsTimes } from './ts-times.ts'
import type { TsUnits } from './ts-units.ts'

/** The number of places of a file that are examined for jumps of its counters. */
const PARTS = 8
/** The fraction of a file, within limits, below which two places count as one. */
const NEAR_PART = 256
const MIN_NEAR_BYTES = 4 * 1024
const MAX_NEAR_BYTES = 512 * 1024
/** The most bytes that are searched for a unit, and the bytes at the end of the file that are searched first. */
const MAX_SEARCH_BYTES = 8 * 1024 * 1024
const TAIL_BYTES = 512 * 1024
/** The lowest bitrate that is expected; a counter that is further off has jumped. */
const MIN_BYTES_PER_SECOND = 4000
const MAX_PAUSE_SECONDS = 10
/** The most jumps that are located. */
const MAX_JUMPS = 1000

/** A place in a file, the counter of the main track's first unit there, and its time from the beginning of the file. */
export type TsPoint = { readonly offset: number; readonly counter: number; readonly ticks: number }

/** The meaning of time 0 in a file: the first picture is presented, or decoded. */
export type TsZero = 'presented' | 'decoded'

/** Finds the place of a time in a file by its counters, which may start again and jump. */
export class TsTimeline {
  readonly #units: TsUnits
  /** The places in the order of the file; between two of them counters do not jump, or times stand still. */
  readonly #points: TsPoint[] = []

  /** The id of the main track. Tracks are interleaved within about a second, so its times stand for all. */
  readonly #mainId: number
  readonly #nearBytes: number
  #jumps = 0

  private constructor(units: TsUnits, sizeBytes: number, main: Track) {
    this.#units = units
    this.#mainId = main.id
    this.#nearBytes = Math.max(MIN_NEAR_BYTES, Math.min(Math.floor(sizeBytes / NEAR_PART), MAX_NEAR_BYTES))
  }

  /**
   * Examines a file at a few places, and more closely where counters jump.
   * @param zero the meaning of time 0: the first picture is presented, or decoded
   * @throws {Error} when the file can't be read, or has no unit with a time
   */
  static async read(units: TsUnits, sizeBytes: number, main: Track, zero: TsZero): Promise<TsTimeline> {
    const timeline = new TsTimeline(units, sizeBytes, main)
    const first = await timeline.#unitAt(0)
    if (first === undefined) throw new Error('the file has no media')
    const ticks = zero === 'decoded' ? 0 : -ticksBetween(first.dts, first.pts)
    timeline.#points.push({ offset: 0, counter: first.dts, ticks })
    for (let part = 1; part < PARTS; part++) {
      const offset = Math.floor((sizeBytes * part) / PARTS)
      if (offset - timeline.#last.offset < timeline.#nearBytes) continue
      const found = await timeline.#counterAt(offset)
      if (found !== undefined) await timeline.#add(offset, found)
    }
    const last = await timeline.#lastCounter(sizeBytes)
    if (last !== undefined) await timeline.#add(sizeBytes, last)
    return timeline
  }

  get start(): TsPoint {
    return this.#points[0]!
  }

  get endTicks(): number {
    return this.#last.ticks
  }

  /** Returns a place shortly before a time. */
  async find(ticks: number): Promise<TsPoint> {
    const index = Math.max(
      0,
      this.#points.findLastIndex((point) => point.ticks <= ticks),
    )
    let low = this.#points[index]!
    let high = this.#points[index + 1]?.offset ?? low.offset
    while (high - low.offset > this.#nearBytes) {
      const offset = Math.floor((low.offset + high) / 2)
      const counter = await this.#counterAt(offset)
      const point = counter === undefined ? undefined : pointAfter(low, offset, counter)
      if (point !== undefined && point.ticks <= ticks) low = point
      else high = offset
    }
    return low
  }

  /** The time at a place. */
  async at(offset: number): Promise<TsPoint> {
    const before = this.#points.findLast((point) => point.offset <= offset)
    if (before === undefined) return this.start
    const counter = await this.#counterAt(offset)
    return (counter === undefined ? undefined : pointAfter(before, offset, counter)) ?? before
  }

  get #last(): TsPoint {
    return this.#points.at(-1)!
  }

  /** Adds a point after the last one, and, where counters jump in between, the places right before and after the jump. */
  async #add(offset: number, counter: number): Promise<void> {
    let low = this.#last
    const next = pointAfter(low, offset, counter)
    if (next !== undefined) return void this.#points.push(next)
    if (++this.#jumps > MAX_JUMPS) return void this.#points.push({ offset, counter, ticks: low.ticks })
    let high = { offset, counter }
    while (high.offset - low.offset > this.#nearBytes) {
      const middle = Math.floor((low.offset + high.offset) / 2)
      const found = await this.#counterAt(middle)
      const point = found === undefined ? undefined : pointAfter(low, middle, found)
      if (point !== undefined) low = point
      else high = { offset: middle, counter: found ?? high.counter }
    }
    if (low !== this.#last) this.#points.push(low)
    this.#points.push({ ...high, ticks: await this.#ticksOver(low, high.counter) })
    if (high.offset < offset) await this.#add(offset, counter)
  }

  /** The time of the first unit with a counter after a place, across a jump that is close to it. */
  async #ticksOver(place: TsPoint, counter: number): Promise<number> {
    const times = new TsTimes()
    times.restart(place.counter, place.ticks)
    this.#units.moveTo(place.offset)
    while (this.#units.offset - place.offset < MAX_SEARCH_BYTES && (await this.#units.fill())) {
      for (let unit = this.#units.take(); unit !== undefined; unit = this.#units.take()) {
        const isIt = unit.track.id === this.#mainId && unit.dts === counter
        times.place(unit)
        if (isIt) return unit.dts
      }
    }
    return place.ticks
  }

  async #counterAt(offset: number): Promise<number | undefined> {
    return (await this.#unitAt(offset))?.dts
  }

  /** The first unit of the main track from a place on. */
  async #unitAt(offset: number): Promise<AccessUnit | undefined> {
    const units = this.#units
    units.moveTo(offset)
    while (units.offset - offset < MAX_SEARCH_BYTES && (await units.fill())) {
      for (let unit = units.take(); unit !== undefined; unit = units.take()) {
        if (unit.track.id === this.#mainId) return unit
      }
    }
    return undefined
  }

  /** The counter at which the last unit of a file has been presented. */
  async #lastCounter(sizeBytes: number): Promise<number | undefined> {
    for (let tailBytes = TAIL_BYTES; tailBytes <= MAX_SEARCH_BYTES; tailBytes *= 4) {
      this.#units.moveTo(Math.max(0, sizeBytes - tailBytes))
      const ends = new Map<number, { readonly counter: number; readonly step: number }>()
      while (await this.#units.fill()) {
        for (let unit = this.#units.take(); unit !== undefined; unit = this.#units.take()) {
          if (unit.track.kind === 'data') continue
          const last = ends.get(unit.track.id)
          const passed = last === undefined ? 0 : ticksBetween(last.counter, unit.pts)
          const hasJumped = Math.abs(passed) > TS_MAX_GAP_TICKS
          if (last === undefined || passed > 0 || hasJumped) {
            ends.set(unit.track.id, { counter: unit.pts, step: hasJumped ? 0 : passed })
          }
        }
      }
      const [first, ...others] = [...ends.values()].map(({ counter, step }) => counter + step)
      if (first === undefined) continue
      return others.reduce((latest, counter) => (ticksBetween(latest, counter) > 0 ? counter : latest), first)
    }
    return undefined
  }
}

/** A place after another one; undefined when counters jump in between. */
function pointAfter(before: TsPoint, offset: number, counter: number): TsPoint | undefined {
  const passed = ticksBetween(before.counter, counter)
  const mostSeconds = (offset - before.offset) / MIN_BYTES_PER_SECOND + MAX_PAUSE_SECONDS
  if (passed < 0 || passed > mostSeconds * PES_TIMESCALE) return undefined
  return { offset, counter, ticks: before.ticks + passed }
}
