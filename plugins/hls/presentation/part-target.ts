import type { FramePace } from './frame-pace.ts'

/** Parts other than a segment's last have at least this share of the part target (rfc8216bis 4.4.4.9). */
export const MIN_PART_SHARE = 0.85
/** A little more, as steps come that are not seen yet. */
const SHARE = MIN_PART_SHARE + 0.01
/** Longest step beside the average that jitter makes; past it the rate of frames varies. */
const MAX_JITTER_FACTOR = 1.5
/** Frames of a varying rate are not waited for longer than this, whatever share of the target parts then have. */
const MAX_VARYING_TARGET_MS = 1000

/**
 * The part target that whole frames fit: the nearest to the one asked for of which each rendition can fill the share
 * that the standard demands, and never less than the longest frame.
 * @param paces Of the track of each rendition that its parts are cut by.
 */
export function choosePartTarget(partMs: number, paces: readonly FramePace[]): number {
  const longestMs = Math.max(...paces.map(({ maxSeconds }) => maxSeconds * 1000))
  // A frame that nearly fills the share leaves no room to choose; then all fit.
  const highest = Math.ceil(Math.max(partMs, longestMs) / (1 - SHARE))
  for (let offset = 0; offset <= highest; offset += 1) {
    for (const targetMs of [partMs - offset, partMs + offset]) {
      if (targetMs >= longestMs && targetMs > partMs / 2 && paces.every((pace) => fits(targetMs, pace))) {
        return capped(targetMs, partMs, longestMs) / 1000
      }
    }
  }
  return Math.ceil(Math.max(partMs, longestMs)) / 1000
}

function fits(targetMs: number, pace: FramePace): boolean {
  const average = pace.averageSeconds * 1000
  const min = pace.minSeconds * 1000
  const max = pace.maxSeconds * 1000
  // A part ends when the next frame doesn't fit any more.
  if (max > average * MAX_JITTER_FACTOR) return targetMs - max >= targetMs * SHARE
  const jitter = max - min
  const frames = Math.floor((targetMs - jitter) / average + 0.001)
  return frames > 0 && frames * average - jitter >= targetMs * SHARE
}

function capped(targetMs: number, partMs: number, longestMs: number): number {
  return Math.min(targetMs, Math.max(partMs, Math.ceil(longestMs), MAX_VARYING_TARGET_MS))
}
