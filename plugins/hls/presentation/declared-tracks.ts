import type { Track } from 'sluice/sdk'
import { canCarry } from './segment-muxer.ts'
import type { SegmentFormat } from './segment-muxer.ts'
import { layoutOf, planTracks } from './track-plan.ts'
import type { Layout, TrackPlan } from './track-plan.ts'

/** The places of a stream's tracks in a presentation. */
export type PlannedTracks = {
  readonly layout: Layout
  readonly plan: TrackPlan
  /** All of the plan. */
  readonly tracks: readonly Track[]
  /** The first of video, else of audio. */
  readonly lead: Track | undefined
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

  /** Gives the track that has the place of this one now. */
  current({ id }: Track): Track | undefined {
    return this.#tracks.get(id)?.track
  }

  /** Tracks that are not among these. */
  beside(tracks: readonly Track[]): Track[] {
    return [...this.#tracks.values()].map(({ track }) => track).filter((track) => !tracks.includes(track))
  }

  /** Plans where the tracks go, in the layout of a presentation or else in the one that suits them. */
  plan(fixed: Layout | undefined): PlannedTracks {
    const carried = [...this.#tracks.values()].filter((declared) => declared.carried).map(({ track }) => track)
    const layout = fixed ?? layoutOf(carried)
    const plan = planTracks(layout, carried)
    const tracks = [...plan.values()].flat()
    return { layout, plan, tracks, lead: tracks.find(({ kind }) => kind === 'video') ?? tracks[0] }
  }
}
