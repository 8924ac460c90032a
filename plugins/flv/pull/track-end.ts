import type { AccessUnit } from 'sluice/sdk'

/** A longer step is a gap, and not how long a unit lasts. */
const MAX_UNIT_MS = 1000

/** Follows units to where the last one of any track ends. Their times are milliseconds. */
export class TrackEnd {
  readonly #tracks = new Map<number, { dts: number; step: number }>()
  #endMs = 0

  /** Where the last unit ends, as far as they have come. */
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
