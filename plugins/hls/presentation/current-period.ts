import type { Track } from 'sluice/sdk'
import type { DeclaredTracks, PlannedTracks } from './declared-tracks.ts'
import type { LiveRendition } from './live-rendition.ts'
import type { PresentationTerms } from './presentation-terms.ts'
import type { SegmentCutter } from './segment-cutter.ts'
import type { Timeline } from './segment.ts'
import { isSamePlan, isSameTrack } from './track-plan.ts'
import type { TrackPlan } from './track-plan.ts'

/** A timeline that runs: the tracks in it and where they go. */
export type Run = {
  readonly timeline: Timeline
  readonly plan: TrackPlan
  readonly lead: Track
  readonly leadRendition: LiveRendition
  readonly cutter: SegmentCutter
  /** What each track was when the timeline began. */
  readonly tracks: ReadonlyMap<Track, { readonly rendition: LiveRendition; readonly snapshot: Track | undefined }>
}

export function startRun(
  declared: DeclaredTracks,
  { plan, lead }: PlannedTracks & { readonly lead: Track },
  terms: PresentationTerms,
  timeline: Timeline,
  cutter: SegmentCutter,
): Run {
  const tracks = new Map<Track, { rendition: LiveRendition; snapshot: Track | undefined }>()
  for (const [name, planned] of plan) {
    const rendition = terms.renditions.get(name)!
    for (const track of planned) tracks.set(track, { rendition, snapshot: declared.snapshot(track) })
  }
  return { timeline, plan, lead, leadRendition: tracks.get(lead)!.rendition, cutter, tracks }
}

/** Whether the timeline that runs is still that of the declared tracks. */
export function isStillPlan(run: Run, declared: DeclaredTracks, { plan }: PlannedTracks): boolean {
  const isSame = [...run.tracks].every(([track, { snapshot }]) => isSameTrack(declared.snapshot(track), snapshot))
  return isSame && isSamePlan(plan, run.plan)
}
