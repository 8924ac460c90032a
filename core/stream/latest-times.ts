import type { AccessUnit, Track } from 'sluice/sdk'
import { rescale } from 'sluice/sdk/media'

/** The decoding and presentation time, in milliseconds. */
export type Times = { readonly dtsMs: number; readonly ptsMs: number }

const BEFORE_ALL: Times = { dtsMs: -1, ptsMs: -1 }

/** The latest decoding and presentation times of units, by kind of track, in milliseconds. */
export class LatestTimes {
  readonly #byKind = new Map<Track['kind'], Times>()

  /** Returns the first times that are later than those of a kind of track; not below 0. */
  next(kind: Track['kind']): Times {
    const { dtsMs, ptsMs } = this.#byKind.get(kind) ?? BEFORE_ALL
    return { dtsMs: Math.max(0, dtsMs + 1), ptsMs: Math.max(0, ptsMs + 1) }
  }

  /** The first time that is later than all of them; not below 0. */
  get nextMs(): number {
    return Math.max(0, ...this.#byKind.values().map(({ dtsMs, ptsMs }) => Math.max(dtsMs, ptsMs) + 1))
  }

  /** Adds times of a kind of track; of the decoding and the presentation times, the later ones are kept. */
  add(kind: Track['kind'], { dtsMs, ptsMs }: Times): void {
    const known = this.#byKind.get(kind)
    this.#byKind.set(kind, {
      dtsMs: Math.max(dtsMs, known?.dtsMs ?? dtsMs),
      ptsMs: Math.max(ptsMs, known?.ptsMs ?? ptsMs),
    })
  }

  /** Adds all times of another object, each plus an offset. */
  addAll(other: LatestTimes, offsetMs: number): void {
    for (const [kind, { dtsMs, ptsMs }] of other.#byKind) {
      this.add(kind, { dtsMs: dtsMs + offsetMs, ptsMs: ptsMs + offsetMs })
    }
  }
}

/** Returns the times of a unit, in milliseconds. */
export function timesOf({ track, dts, pts }: Pick<AccessUnit, 'track' | 'dts' | 'pts'>): Times {
  return { dtsMs: rescale(dts, track.timescale, 1000), ptsMs: rescale(pts, track.timescale, 1000) }
}
