import type { AccessUnit } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'

const TS_RANGE = 2 ** 33
const PES_TIMESCALE = 90_000
/** The largest gap of times that belong together, whatever the playlist contains. */
const NEAR_MS = 1000
/** The most by which audio and video of a segment overlap with the one before; more is a step back. */
const MAX_OVERLAP_MS = 50
/** The largest gap over lost segments, for times without a discontinuity in the playlist. */
const MAX_GAP_MS = 10_000

/** A unit and the time at which it is due, in milliseconds of the stream. */
export type TimedUnit = { readonly dueMs: number; readonly unit: AccessUnit }

/** The position of a rendition in time; `startMs` is that of its newest segment. */
type Position = { readonly startMs: number; offsetMs: number; readonly discontinuity: number; endMs: number }

/** The position of a track within a segment. */
type TrackPosition = { readonly isMedia: boolean; offsetMs: number; dueMs: number; stepMs: number }

/**
 * Puts the segments of a source one after the other in time: it unwraps counters of 33 bits, and closes the jumps at discontinuities and
 * repetitions by one offset for all renditions, so that video and audio stay in sync.
 */
export class SourceTimes {
  readonly #positions = new Map<string, Position>()
  /** The offset that was made last. */
  #newest: Pick<Position, 'offsetMs' | 'discontinuity'> | undefined
  /** The newest counter of all renditions, in ticks of MPEG-TS. */
  #lastCounter: number | undefined

  /**
   * Sets the times of a segment's units, which are in decoding order by track, and sorts them by the time they are due.
   * @param counters true when times are counters of 33 bits
   */
  place(rendition: string, discontinuity: number, units: readonly AccessUnit[], counters: boolean): TimedUnit[] {
    if (counters) for (const unit of units) this.#unwrap(unit)
    const [first] = units
    if (first === undefined) return []
    const position = this.#position(rendition, discontinuity, startOf(units, dtsMs(first)))
    return placed(units, position).toSorted((a, b) => a.dueMs - b.dueMs)
  }

  #position(rendition: string, discontinuity: number, startMs: number): Position {
    const known = this.#positions.get(rendition)
    const offsetMs = this.#offset(known, discontinuity, startMs)
    const position = { startMs: startMs + offsetMs, offsetMs, discontinuity, endMs: known?.endMs ?? -Infinity }
    this.#positions.set(rendition, position)
    return position
  }

  #offset(known: Position | undefined, discontinuity: number, startMs: number): number {
    const newest = this.#newest
    if (known === undefined && newest?.discontinuity === discontinuity) return newest.offsetMs
    for (const candidate of known ? [known, newest] : []) {
      if (candidate === undefined || known === undefined) continue
      const gapMs = startMs + candidate.offsetMs - known.endMs
      const goesOn =
        candidate.discontinuity === discontinuity
          ? Math.abs(gapMs) <= MAX_GAP_MS
          : gapMs >= -MAX_OVERLAP_MS && gapMs <= NEAR_MS
      if (goesOn) return candidate.offsetMs
    }
    const endMs = known?.endMs ?? Math.max(0, ...[...this.#positions.values()].map((position) => position.endMs))
    const offsetMs = endMs - startMs
    this.#newest = { offsetMs, discontinuity }
    return offsetMs
  }

  #unwrap(unit: AccessUnit): void {
    const { timescale } = unit.track
    if (timescale !== PES_TIMESCALE) return
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

/** The earliest of the times close to the first one. */
function startOf(units: readonly AccessUnit[], firstMs: number): number {
  let startMs = firstMs
  for (const unit of units) {
    const ms = dtsMs(unit)
    if (ms < startMs && firstMs - ms < MAX_GAP_MS) startMs = ms
  }
  return startMs
}

/**
 * Places the units of a segment in time. Jumps within a segment are not announced; a track that jumps continues at its former position, and
 * other tracks that jump then are moved by as much.
 */
function placed(units: readonly AccessUnit[], position: Position): TimedUnit[] {
  const tracks = new Map<number, TrackPosition>()
  const timed = units.map((unit) => {
    const { id, kind, timescale } = unit.track
    const { offsetMs, startMs: dueMs } = position
    const track = tracks.get(id) ?? { isMedia: kind !== 'data', offsetMs, dueMs, stepMs: 0 }
    tracks.set(id, track)
    const ms = dtsMs(unit)
    if (Math.abs(ms + track.offsetMs - track.dueMs) > MAX_GAP_MS) jump(track, ms, position)
    const offset = rescale(track.offsetMs, 1000, timescale)
    unit.dts += offset
    unit.pts += offset
    track.stepMs = Math.max(0, ms + track.offsetMs - track.dueMs)
    track.dueMs = ms + track.offsetMs
    return { dueMs: track.dueMs, unit }
  })
  // The last unit of media lasts as long as the one before it.
  for (const { isMedia, dueMs, stepMs } of tracks.values()) {
    position.endMs = Math.max(position.endMs, isMedia ? dueMs + stepMs : dueMs)
  }
  return timed
}

function jump(track: TrackPosition, ms: number, position: Position): void {
  const together = Math.abs(ms + position.offsetMs - track.dueMs) <= MAX_GAP_MS
  if (!together) position.offsetMs = track.dueMs + track.stepMs - ms
  track.offsetMs = position.offsetMs
}
