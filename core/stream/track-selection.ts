import type { AccessUnit, SubscribeConfig, Track, VideoTrack } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'

/** The part of a stream that a subscriber takes. */
export type TrackSelection = {
  readonly audio: boolean
  readonly video: boolean
  /** True only for readers and formats that ask for data, so that all others need to know of pictures and sound alone. */
  readonly data: boolean
  readonly keyframesOnly: boolean
}

export const NO_TRACKS: TrackSelection = { audio: false, video: false, data: false, keyframesOnly: false }
export const ALL_TRACKS: TrackSelection = { audio: true, video: true, data: true, keyframesOnly: false }

export function selectionOf(config: Readonly<SubscribeConfig>, data = false): TrackSelection {
  return { audio: config.subaudio, video: config.subvideo, data, keyframesOnly: config.iframeonly }
}

export function selectionKey(selection: TrackSelection): string {
  const { audio, video, data, keyframesOnly } = selection
  return `${audio ? 'a' : ''}${video ? 'v' : ''}${data ? 'd' : ''}${keyframesOnly ? 'k' : ''}`
}

export function selectsTrack(selection: TrackSelection, track: Track): boolean {
  return selection[track.kind]
}

export function selectsUnit(selection: TrackSelection, unit: AccessUnit): boolean {
  // All units of sound and data are keyframes.
  return selection[unit.track.kind] && (unit.keyframe || !selection.keyframesOnly)
}

/** The track with the keyframes that subscribers start at: the main one of video; undefined without video. */
export function leadingTrack(tracks: readonly Track[], selection: TrackSelection): VideoTrack | undefined {
  if (!selection.video) return undefined
  return mainTracks(tracks).find((track): track is VideoTrack => track.kind === 'video')
}

/** True when a subscriber can start at the unit: at a keyframe of the leading track, or anywhere where there is none. */
export function isStart(unit: AccessUnit, leading: Track | undefined): boolean {
  return leading === undefined || (unit.keyframe && unit.track === leading)
}
