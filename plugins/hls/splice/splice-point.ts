import type { MediaPlaylist } from '../wire/media-playlist.ts'

/** The segment of another presentation with which a viewer continues, and the wall clock at its beginning. */
export type SplicePoint = { readonly msn: number; readonly startMs: number }

export type SplicePointOptions = {
  /** The position in the other presentation that the viewer's media has reached, by its wall clock. */
  readonly atMs: number
  /** The wall clock of its newest media, listed or not. */
  readonly newestMs: number
  /** The longest that a viewer can wait for a segment that has not begun yet. */
  readonly maxWaitMs: number
}

/**
 * Finds the segment to continue with: the newest that begins no later than the viewer's position, so that the viewer has no gap, and as
 * little as possible a second time. Undefined while a newer one is about to begin.
 * @param playlist the playlist of the other presentation, with one complete segment at least
 */
export function findSplicePoint(playlist: MediaPlaylist, options: SplicePointOptions): SplicePoint | undefined {
  const { atMs, newestMs, maxWaitMs } = options
  const { points, lengthMs } = pointsOf(playlist)
  const last = points.at(-1)
  if (last === undefined) return undefined
  const nextMs = last.startMs + lengthMs
  if (!playlist.ended && nextMs <= atMs && Math.abs(nextMs - newestMs) <= maxWaitMs) return undefined
  return points.findLast(({ startMs }) => startMs <= atMs) ?? points[0]
}

/** The current segments, with the one being made, and the length of the newest that is complete. */
function pointsOf({ segments, mediaSequence }: MediaPlaylist): { points: SplicePoint[]; lengthMs: number } {
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
  return { points, lengthMs }
}
