import type { MediaPlaylist } from '../wire/media-playlist.ts'

/** The segment of another presentation that a viewer goes on with, and the wall clock at its beginning. */
export type SplicePoint = { readonly msn: number; readonly startMs: number }

/**
 * Finds the segment to go on with for a viewer whose media has come to a wall clock time: the newest that begins no
 * later, so that the viewer has no hole, and as little as possible again. Undefined while a newer one may come yet.
 * @param playlist of the other presentation, with one complete segment at least
 */
export function findSplicePoint(playlist: MediaPlaylist, atMs: number): SplicePoint | undefined {
  const { segments, mediaSequence, ended } = playlist
  const points: SplicePoint[] = []
  let lengthMs = 0
  let endMs = 0
  for (const [index, { uri, programDateTimeMs, durationSeconds }] of segments.entries()) {
    const startMs = programDateTimeMs ?? endMs
    points.push({ msn: mediaSequence + index, startMs })
    endMs = startMs + durationSeconds * 1000
    if (uri !== undefined) lengthMs = durationSeconds * 1000
  }
  if (segments.at(-1)?.uri !== undefined) points.push({ msn: mediaSequence + segments.length, startMs: endMs })
  const last = points.at(-1)
  if (last === undefined || (!ended && last.startMs + lengthMs <= atMs)) return undefined
  return points.findLast(({ startMs }) => startMs <= atMs) ?? points[0]
}
