import { isDeepStrictEqual } from 'node:util'
import type { AudioTrack, Track, VideoTrack } from 'sluice/sdk'
import { mainTracks } from 'sluice/sdk/media'

/** Which tracks go into which rendition, by its name; the first has the leading track, at whose keyframes all are cut. */
export type TrackPlan = ReadonlyMap<string, readonly Track[]>

/** The renditions of a presentation, which stay once viewers know of them. */
export type Layout = {
  /** Names of the renditions of video and of sound. One name alone: everything is in it. */
  readonly video: readonly string[]
  readonly audio: readonly string[]
}

/** One rendition with all of it, or several with one track each. */
export function layoutOf(tracks: readonly Track[]): Layout {
  const { videos, audios } = byKind(tracks)
  const divided = videos.length > 1 || audios.length > 1
  if (!divided) return videos.length > 0 ? { video: ['video'], audio: [] } : { video: [], audio: ['audio'] }
  return {
    video: videos.map((_, index) => named('video', index)),
    audio: audios.map((_, index) => named('audio', index)),
  }
}

/** The layout that has renditions of these names, which are those of another. */
export function layoutNamed(names: readonly string[]): Layout {
  return {
    video: names.filter((name) => name.startsWith('video')),
    audio: names.filter((name) => !name.startsWith('video')),
  }
}

/** Plans where tracks go in a layout; tracks that it has no rendition for are left out. */
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

/** Whether two plans have the same tracks in the same places. */
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
    // Players choose by bandwidth among pictures, which have to show the same.
    videos: videos.filter(({ group }) => group === main?.group),
    audios: tracks.filter((track) => track.kind === 'audio'),
  }
}

function named(kind: string, index: number): string {
  return index === 0 ? kind : `${kind}${index + 1}`
}
