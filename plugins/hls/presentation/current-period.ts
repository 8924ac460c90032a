import type { Track } from 'sluice/sdk'
import type { DeclaredTracks, PlannedTracks } from './declared-tracks.ts'
import type { LiveRendition } from './live-rendition.ts'
import type { SegmentCutter } from './segment-cutter.ts'
import type { Renditions } from './renditions.ts'
import type { Period } from './segment.ts'
import { isSamePlan, isSameTrack } from './track-plan.ts'
import type { TrackPlan } from './track-plan.ts'

/** The current period: its tracks and their renditions. */
export type CurrentPeriod = {
  readonly period: Period
  readonly plan: TrackPlan
  readonly mainTrack: Track
  readonly mainRendition: LiveRendition
  readonly cutter: SegmentCutter
  /** The tracks by their ids, as they were when the period began, each with its rendition. */
  readonly tracks: ReadonlyMap<number, { readonly track: Track; readonly rendition: LiveRendition }>
}

/** Assigns the tracks of a plan to their renditions. */
export function placeTracks({ plan }: PlannedTracks, renditions: Renditions): CurrentPeriod['tracks'] {
  const tracks = new Map<number, { track: Track; rendition: LiveRendition }>()
  for (const [name, planned] of plan) {
    const rendition = renditions.byName.get(name)!
    for (const track of planned) tracks.set(track.id, { track, rendition })
  }
  return tracks
}

/** True when the current period still has the declared tracks. */
export function isStillPlan(period: CurrentPeriod, declared: DeclaredTracks, { plan }: PlannedTracks): boolean {
  const isSame = [...period.tracks.values()].every(({ track }) => isSameTrack(declared.current(track), track))
  return isSame && isSamePlan(plan, period.plan)
}
