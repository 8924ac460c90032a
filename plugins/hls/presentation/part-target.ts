import type { FrameRhythm } from './frame-rhythm.ts'

/** Parts other than a segment's last have at least this share of the part target (rfc8216bis 4.4.4.9). */
export const MIN_PART_SHARE = 0.85
/** A little more, as steps come that are not seen yet. */
const SHARE = MIN_PART_SHARE + 0.01
/** A part target that fits frames with their jitter may be this much longer than one that fits usual frames. */
const MAX_JITTER_STRETCH = 1.25
/** Frames of a varying rate are not waited for longer than this, whatever share of the target parts then have. */
const MAX_VARYING_TARGET_MS = 1000
/** The share of a frame by which sums of fractions differ at most. */
const ROUNDING_SHARE = 0.001

/** The frames of a track, in milliseconds. */
type Frames = {
  readonly usualMs: number
  readonly jitterMs: number
  readonly longestMs: number
  readonly varies: boolean
}

/**
 * The part target that whole frames fit: the nearest to the one asked for of which each rendition can fill the share
 * that the standard demands, and never less than the longest frame that is usual. Where jitter would make it much
 * longer, it is that of frames without; some parts then end within a frame.
 * @param rhythms Of the track of each rendition that its parts are cut by.
 */
export function choosePartTarget(partMs: number, rhythms: readonly FrameRhythm[]): number {
  const tracks = rhythms.map(inMs)
  const plainMs = nearestTarget(
    partMs,
    tracks.map((frames) => ({ ...frames, jitterMs: 0 })),
  )
  const jitteryMs = nearestTarget(partMs, tracks)
  return (jitteryMs > plainMs * MAX_JITTER_STRETCH ? plainMs : jitteryMs) / 1000
}

function inMs({ usualSeconds, jitterSeconds, longestSeconds, varies }: FrameRhythm): Frames {
  return {
    usualMs: usualSeconds * 1000,
    jitterMs: jitterSeconds * 1000,
    longestMs: longestSeconds * 1000,
    varies,
  }
}

function nearestTarget(partMs: number, tracks: readonly Frames[]): number {
  const leastMs = Math.max(...tracks.map(({ longestMs }) => longestMs))
  // A frame that nearly fills the share leaves no room to choose; then all fit.
  const highest = Math.ceil(Math.max(partMs, leastMs) / (1 - SHARE))
  for (let offset = 0; offset <= highest; offset += 1) {
    for (const targetMs of [partMs - offset, partMs + offset]) {
      if (targetMs >= leastMs && targetMs > partMs / 2 && tracks.every((frames) => fits(targetMs, frames))) {
        return Math.min(targetMs, Math.max(partMs, Math.ceil(leastMs), MAX_VARYING_TARGET_MS))
      }
    }
  }
  return Math.ceil(Math.max(partMs, leastMs))
}

function fits(targetMs: number, { usualMs, jitterMs, longestMs, varies }: Frames): boolean {
  // A part ends when the next frame doesn't fit any more.
  if (varies) return targetMs - longestMs >= targetMs * SHARE
  const count = Math.floor((targetMs - jitterMs) / usualMs + ROUNDING_SHARE)
  return count > 0 && count * usualMs - jitterMs >= targetMs * SHARE
}
