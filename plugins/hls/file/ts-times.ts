import type { AccessUnit } from 'sluice/sdk'
import { PES_TIMESCALE } from 'sluice/sdk/media'

const RANGE = 2 ** 33
/** The largest step of times; a larger one is a jump. */
export const TS_MAX_GAP_TICKS = 10 * PES_TIMESCALE

type Position = { offset: number; dts: number; step: number }

/** The shorter difference in ticks from one counter of 33 bits to another. */
export function ticksBetween(from: number, to: number): number {
  const ticks = to - from
  return ticks - Math.round(ticks / RANGE) * RANGE
}

/** Makes the times of an MPEG-TS continuous, which are counters of 33 bits and may jump. */
export class TsTimes {
  readonly #tracks = new Map<number, Position>()
  #offset = 0
  /** The end of the units that were placed. */
  #endDts = 0

  /** Begins again: a counter corresponds to a time in ticks. */
  restart(counter: number, ticks: number): void {
    this.#tracks.clear()
    this.#offset = ticks - counter
    this.#endDts = ticks
  }

  /** Sets the times of a unit. */
  place(unit: AccessUnit): void {
    if (unit.track.kind === 'data') return this.#placeData(unit)
    const track = this.#tracks.get(unit.track.id) ?? { offset: this.#offset, dts: this.#endDts, step: 0 }
    this.#tracks.set(unit.track.id, track)
    const expected = track.dts + track.step
    const cts = ticksBetween(unit.dts, unit.pts)
    const dts = this.#placed(unit.dts, track, expected)
    track.step = Math.max(0, dts - track.dts)
    track.dts = dts
    this.#endDts = Math.max(this.#endDts, dts + track.step)
    unit.dts = dts
    unit.pts = dts + cts
  }

  /** Data may pause for long and does not reveal jumps: its times follow those of media. */
  #placeData(unit: AccessUnit): void {
    const cts = ticksBetween(unit.dts, unit.pts)
    unit.dts = this.#endDts + ticksBetween(this.#endDts, unit.dts + this.#offset)
    unit.pts = unit.dts + cts
  }

  #placed(counter: number, track: Position, expected: number): number {
    // When one track has jumped, the others take the same offset.
    for (const offset of [track.offset, this.#offset]) {
      const dts = expected + ticksBetween(expected, counter + offset)
      if (Math.abs(dts - expected) > TS_MAX_GAP_TICKS) continue
      track.offset = offset
      return dts
    }
    track.offset = this.#offset = this.#endDts - counter
    return this.#endDts
  }
}
