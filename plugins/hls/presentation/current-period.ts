import type { Track } from 'sluice/sdk'
import type { DeclaredTracks, PlannedTracks } from './declared-tracks.ts'
import type { LiveRendition } from './live-rendition.ts'
import type { SegmentCutter } from './segment-cutter.ts'
import type { Renditions } from './renditions.ts'
import type { Period } from './segment.ts'
import { isSamePlan, isSameTrack } from './track-plan.ts'
import type { TrackPlan } from './track-plan.ts'

/** A period that runs: the tracks in it and where they go. */
export type CurrentPeriod = {
  readonly period: Period
  readonly plan: TrackPlan
  readonly lead: Track
  readonly leadRendition: LiveRendition
  readonly cutter: SegmentCutter
  /** The rendition of each track, and the track as it was when the period began. */
  readonly tracks: ReadonlyMap<Track, { readonly rendition: LiveRendition; readonly snapshot: Track | undefined }>
}

/** Takes note of where the tracks of a plan go, as they are now. */
export function placeTracks(
  declared: DeclaredTracks,
  { plan }: PlannedTracks,
  renditions: Renditions,
): CurrentPeriod['tracks'] {
  const tracks = new Map<Track, { rendition: LiveRendition; snapshot: Track | undefined }>()
  for (const [name, planned] of plan) {
    const rendition = renditions.byName.get(name)!
    for (const track of planned) tracks.set(track, { rendition, snapshot: declared.snapshot(track) })
  }
  return tracks
}

/** Whether the period that runs is still that of the declared tracks. */
export function isStillPlan(period: CurrentPeriod, declared: DeclaredTracks, { plan }: PlannedTracks): boolean {
  const isSame = [...period.tracks].every(([track, { snapshot }]) => isSameTrack(declared.snapshot(track), snapshot))
  return isSame && isSamePlan(plan, period.plan)
}
