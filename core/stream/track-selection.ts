import type { AccessUnit, SubscribeConfig, Track } from 'sluice/sdk'

/** Which part of a stream a subscriber takes. */
export type TrackSelection = { readonly audio: boolean; readonly video: boolean; readonly keyframesOnly: boolean }

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

/** Whether a viewer can start at the unit: at a keyframe of the main video track, or anywhere where there is no video. */
export function isStart(unit: AccessUnit, hasVideo: boolean): boolean {
  if (!hasVideo) return true
  return unit.keyframe && unit.track.kind === 'video' && (unit.track.name ?? '') === ''
}
