import { isDeepStrictEqual } from 'node:util'
import type { AudioTrack, Track, VideoTrack } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'

/** The tracks of each rendition, by its name; the first rendition has the main track: its keyframes cut all renditions. */
export type TrackPlan = ReadonlyMap<string, readonly Track[]>

/** The renditions of a presentation, which stay once it is ready. */
export type Layout = {
  /** The names of the renditions of video and of audio. A single name stands for a rendition with all tracks. */
  readonly video: readonly string[]
  readonly audio: readonly string[]
}

/** The layout that suits the tracks: one rendition with all of them, or several with one track each. */
export function layoutOf(tracks: readonly Track[]): Layout {
  const { videos, audios } = byKind(tracks)
  const divided = videos.length > 1 || audios.length > 1
  if (!divided) return videos.length > 0 ? { video: ['video'], audio: [] } : { video: [], audio: ['audio'] }
  return {
    video: videos.map((_, index) => named('video', index)),
    audio: audios.map((_, index) => named('audio', index)),
  }
}

/** The layout with renditions of these names, which are those of another layout. */
export function layoutNamed(names: readonly string[]): Layout {
  return {
    video: names.filter((name) => name.startsWith('video')),
    audio: names.filter((name) => !name.startsWith('video')),
  }
}

/** Assigns tracks to the renditions of a layout; tracks without a rendition are left out. */
export function planTracks(layout: Layout, tracks: readonly Track[]): TrackPlan {
  const { videos, audios } = byKind(tracks)
  const [single, ...others] = [...layout.video, ...layout.audio]
  if (single !== undefined && others.length === 0) {
    const all = [...videos.slice(0, 1), ...audios.slice(0, 1)]
    return new Map(all.length > 0 ? [[single, all]] : [])
  }
  const plan = new Map<string, readonly Track[]>()
  for (const [index, name] of layout.video.entries()) if (videos[index]) plan.set(name, [videos[index]])
  for (const [index, name] of layout.audio.entries()) if (audios[index]) plan.set(name, [audios[index]])
  return plan
}

/** True when two plans have the same tracks in the same renditions. */
export function isSamePlan(one: TrackPlan, other: TrackPlan): boolean {
  if (one.size !== other.size) return false
  return [...one].every(([name, tracks]) => {
    const others = other.get(name)
    return others?.length === tracks.length && tracks.every(({ id }, index) => id === others[index]?.id)
  })
}

export function isSameTrack(one: Track | undefined, other: Track | undefined): boolean {
  return isDeepStrictEqual(one, other)
}

function byKind(tracks: readonly Track[]): { videos: VideoTrack[]; audios: AudioTrack[] } {
  const videos = tracks.filter((track) => track.kind === 'video')
  const [main] = mainTracks(videos)
  return {
    // Players choose by bandwidth among video renditions, which must have the same content.
    videos: videos.filter(({ group }) => group === main?.group),
    audios: tracks.filter((track) => track.kind === 'audio'),
  }
}

function named(kind: string, index: number): string {
  return index === 0 ? kind : `${kind}${index + 1}`
}
