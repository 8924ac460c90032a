import type { Track } from 'sluice/sdk'
import { canCarry } from './segment-muxer.ts'
import type { SegmentFormat } from './segment-muxer.ts'
import { layoutOf, planTracks } from './track-plan.ts'
import type { Layout, TrackPlan } from './track-plan.ts'

/** The assignment of a stream's tracks to the renditions of a presentation. */
export type PlannedTracks = {
  readonly layout: Layout
  readonly plan: TrackPlan
  /** All tracks of the plan. */
  readonly tracks: readonly Track[]
  /** The main track: the first of video, else of audio. Undefined when no track can be carried. */
  readonly mainTrack: Track | undefined
}

type Declared = { readonly track: Track; readonly carried: boolean }

/** The tracks of a stream by their ids, as they were last declared. */
export class DeclaredTracks {
  readonly #format: SegmentFormat
  readonly #tracks = new Map<number, Declared>()

  constructor(format: SegmentFormat) {
    this.#format = format
  }

  set(track: Track): void {
    this.#tracks.set(track.id, { track, carried: canCarry(this.#format, track) })
  }

  delete(track: Track): void {
    this.#tracks.delete(track.id)
  }

  clear(): void {
    this.#tracks.clear()
  }

  /** Returns the current track with the id of `track`. */
  current({ id }: Track): Track | undefined {
    return this.#tracks.get(id)?.track
  }

  /** Returns the declared tracks that are not among `tracks`. */
  beside(tracks: readonly Track[]): Track[] {
    return [...this.#tracks.values()].map(({ track }) => track).filter((track) => !tracks.includes(track))
  }

  /** Assigns the tracks to the renditions of `fixed`, or else of the layout that suits them. */
  plan(fixed: Layout | undefined): PlannedTracks {
    const carried = [...this.#tracks.values()].filter((declared) => declared.carried).map(({ track }) => track)
    const layout = fixed ?? layoutOf(carried)
    const plan = planTracks(layout, carried)
    const tracks = [...plan.values()].flat()
    return { layout, plan, tracks, mainTrack: tracks.find(({ kind }) => kind === 'video') ?? tracks[0] }
  }
}
