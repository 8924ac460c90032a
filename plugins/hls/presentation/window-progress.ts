import type { Segment } from './segment.ts'
import type { SegmentWindow } from './segment-window.ts'

/** See {@link Rendition.lastMsn}. */
export function lastMsnOf(window: SegmentWindow): number {
  const { newest } = window
  if (newest === undefined) return -1
  if (isShown(newest)) return newest.msn
  return window.find(newest.msn - 1)?.msn ?? -1
}

/** See {@link Rendition.lastPart}. */
export function lastPartOf({ newest }: SegmentWindow): number {
  return newest && !newest.complete && isShown(newest) ? newest.parts.length - 1 : -1
}

/** See {@link Rendition.has}. */
export function isThere(window: SegmentWindow, msn: number, part?: number): boolean {
  const { newest } = window
  if (newest === undefined || msn > newest.msn) return false
  if (msn < newest.msn) {
    const segment = window.find(msn)
    // A part past the last of a segment is the first of the next (rfc8216bis 6.2.5.2).
    const isOfNext = part !== undefined && segment?.divided === true && part >= segment.parts.length
    return isOfNext && msn + 1 === newest.msn ? isThere(window, msn + 1, 0) : true
  }
  if (newest.complete) return part === undefined || !newest.divided || part < newest.parts.length
  return part !== undefined && newest.divided && part < newest.parts.length
}

/** Whether playlists show it. */
function isShown(segment: Segment): boolean {
  return segment.complete || (segment.divided && segment.parts.length > 0)
}
