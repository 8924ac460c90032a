import type { AccessUnit, SubscribeConfig, Track } from 'sluice/sdk'

/** Which part of a stream a subscriber takes. */
export type TrackSelection = { readonly audio: boolean; readonly video: boolean; readonly keyframesOnly: boolean }

export const ALL_TRACKS: TrackSelection = { audio: true, video: true, keyframesOnly: false }

export function selectionOf(config: Readonly<SubscribeConfig>): TrackSelection {
  return { audio: config.subaudio, video: config.subvideo, keyframesOnly: config.iframeonly }
}

export function selectionKey(selection: TrackSelection): string {
  return `${selection.audio ? 'a' : ''}${selection.video ? 'v' : ''}${selection.keyframesOnly ? 'k' : ''}`
}

export function selectsTrack(selection: TrackSelection, track: Track): boolean {
  return track.kind === 'video' ? selection.video : selection.audio
}

export function selectsUnit(selection: TrackSelection, unit: AccessUnit): boolean {
  if (unit.track.kind !== 'video') return selection.audio
  return selection.video && (unit.keyframe || !selection.keyframesOnly)
}

/** The track whose keyframes subscribers start at: the main video track, or else the first; undefined without video. */
export function leadTrack(tracks: readonly Track[], selection: TrackSelection): Track | undefined {
  if (!selection.video) return undefined
  const videos = tracks.filter((track) => track.kind === 'video')
  return videos.find((track) => (track.name ?? '') === '') ?? videos[0]
}

/** Whether a subscriber can start at the unit: at a keyframe of the lead track, or anywhere where there is none. */
export function isStart(unit: AccessUnit, lead: Track | undefined): boolean {
  return lead === undefined || (unit.keyframe && unit.track === lead)
}
