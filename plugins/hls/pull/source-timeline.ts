import type { AccessUnit } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'

const TS_RANGE = 2 ** 33
const TS_TIMESCALE = 90_000
/** Times that go on this closely belong together, whatever the playlist says. */
const NEAR_MS = 1000
/** Times without a discontinuity in the playlist may be this far from where they should go on, over lost segments. */
const MAX_GAP_MS = 10_000

/** A unit and when it is due, in milliseconds of the stream. */
export type TimedUnit = { readonly dueMs: number; readonly unit: AccessUnit }

type Position = { offsetMs: number; readonly discontinuity: number; endMs: number }

/**
 * Puts the segments of a source one after the other in time: unwraps counters of 33 bits, and closes the jumps at
 * discontinuities and repetitions by one offset for all renditions, so that pictures and sound stay together.
 */
export class SourceTimeline {
  readonly #positions = new Map<string, Position>()
  /** The offset that was made last. */
  #newest: Pick<Position, 'offsetMs' | 'discontinuity'> | undefined
  /** In ticks of MPEG-TS, of all renditions. */
  #lastCounter: number | undefined

  /**
   * Sets the times of a segment's units, which are in decoding order by track, and sorts them by the time they are due.
   * @param counters whether times are counters of 33 bits
   */
  place(rendition: string, discontinuity: number, units: readonly AccessUnit[], counters: boolean): TimedUnit[] {
    if (counters) for (const unit of units) this.#unwrap(unit)
    const [first] = units
    if (first === undefined) return []
    const around = units.map(dtsMs).filter((ms) => Math.abs(ms - dtsMs(first)) < MAX_GAP_MS)
    const position = this.#position(rendition, discontinuity, Math.min(...around))
    const lastMs = new Map<number, number>()
    let previousMs = Math.min(...around)
    const timed = units.map((unit) => {
      const ms = dtsMs(unit)
      // Within a segment nothing says that times jump; each track is then brought back to where the others are.
      if (Math.abs(ms - previousMs) > MAX_GAP_MS) position.offsetMs += previousMs - ms
      previousMs = ms
      return { dueMs: this.#shift(unit, ms, position, lastMs), unit }
    })
    return timed.toSorted((a, b) => a.dueMs - b.dueMs)
  }

  #shift(unit: AccessUnit, ms: number, position: Position, lastMs: Map<number, number>): number {
    const { id, timescale } = unit.track
    const offset = rescale(position.offsetMs, 1000, timescale)
    unit.dts += offset
    unit.pts += offset
    const dueMs = ms + position.offsetMs
    const stepMs = Math.max(0, dueMs - (lastMs.get(id) ?? dueMs))
    lastMs.set(id, dueMs)
    // The last unit lasts as long as the one before it.
    position.endMs = Math.max(position.endMs, dueMs + stepMs)
    return dueMs
  }

  #position(rendition: string, discontinuity: number, startMs: number): Position {
    const known = this.#positions.get(rendition)
    const offsetMs = this.#offset(known, discontinuity, startMs)
    const position = { offsetMs, discontinuity, endMs: known?.endMs ?? -Infinity }
    this.#positions.set(rendition, position)
    return position
  }

  #offset(known: Position | undefined, discontinuity: number, startMs: number): number {
    const newest = this.#newest
    if (known === undefined && newest?.discontinuity === discontinuity) return newest.offsetMs
    for (const candidate of known ? [known, newest] : []) {
      if (candidate === undefined || known === undefined) continue
      const gapMs = Math.abs(startMs + candidate.offsetMs - known.endMs)
      if (gapMs <= (candidate.discontinuity === discontinuity ? MAX_GAP_MS : NEAR_MS)) return candidate.offsetMs
    }
    const endMs = known?.endMs ?? Math.max(0, ...[...this.#positions.values()].map((position) => position.endMs))
    const offsetMs = endMs - startMs
    this.#newest = { offsetMs, discontinuity }
    return offsetMs
  }

  #unwrap(unit: AccessUnit): void {
    const { timescale } = unit.track
    if (timescale !== TS_TIMESCALE) return
    const cts = unit.pts - unit.dts
    const last = this.#lastCounter ?? unit.dts
    const dts = unit.dts + Math.round((last - unit.dts) / TS_RANGE) * TS_RANGE
    this.#lastCounter = dts
    unit.dts = dts
    unit.pts = dts + cts - Math.round(cts / TS_RANGE) * TS_RANGE
  }
}

function dtsMs({ dts, track }: AccessUnit): number {
  return rescale(dts, track.timescale, 1000)
}
