import type { AccessUnit } from 'sluice/sdk'

/** The longest duration of a unit; a longer step is a gap. */
const MAX_UNIT_MS = 1000

/** Computes the end of the last unit of any track. Times are milliseconds. */
export class TrackEnd {
  readonly #tracks = new Map<number, { dts: number; step: number }>()
  #endMs = 0

  /** The end of the last unit that has come. */
  get ms(): number {
    return this.#endMs
  }

  count({ track, dts }: AccessUnit): void {
    const last = this.#tracks.get(track.id)
    const step = last === undefined ? 0 : dts - last.dts
    const usual = step > 0 && step <= MAX_UNIT_MS ? step : (last?.step ?? 0)
    if (last === undefined) this.#tracks.set(track.id, { dts, step: usual })
    else Object.assign(last, { dts, step: usual })
    this.#endMs = Math.max(this.#endMs, dts + usual)
  }
}
