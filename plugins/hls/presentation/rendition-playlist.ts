import type { PresentationTerms } from './presentation-terms.ts'
import type { Rendition } from './rendition.ts'
import { isGap } from './segment.ts'
import type { Segment } from './segment.ts'
import type { SegmentWindow } from './segment-window.ts'
import type { MediaPlaylist, MediaSegment } from '../wire/media-playlist.ts'

/** The distance from the end within which parts are listed, in target durations (rfc8216bis 4.4.4.9). */
const PARTS_TARGET_DURATIONS = 3
/** The distance from the end that clients keep, in part targets (4.4.3.8). */
const PART_HOLD_BACK = 3
/** The distance from the end beyond which a delta update leaves segments out, in target durations (4.4.3.8). */
const SKIP_TARGET_DURATIONS = 6
/** The EXT-X-VERSION that parts, EXT-X-GAP, EXT-X-MAP and the rest require (section 8). */
const VERSION = { lowLatency: 9, gap: 8, map: 7, plain: 6 } as const

/** The properties of a rendition in playlists. */
export type ListedRendition = Pick<Rendition, 'name' | 'lastMsn'> & {
  readonly window: SegmentWindow
  /** The name of the part that will come next. */
  readonly hint: string | undefined
}

type Target = Pick<PresentationTerms, 'targetDurationSeconds'>
type TimedSegment = Pick<Segment, 'complete' | 'durationSeconds'>

/**
 * Builds the current playlist of a rendition.
 * @param all the renditions of its presentation, itself included
 * @param skip true when old segments may be left out
 */
export function buildMediaPlaylist(
  rendition: ListedRendition,
  all: Iterable<ListedRendition>,
  terms: PresentationTerms,
  skip: boolean,
): MediaPlaylist {
  const { window } = rendition
  const { partTargetSeconds } = terms
  const listed = window.listed().filter((segment) => segment.complete || segment.divided)
  const skipped = skip && partTargetSeconds !== undefined ? skippable(listed, terms) : 0
  const first = listed[0]
  const hint = rendition.hint
  const shown = partsFrom(listed, terms)
  return {
    version: versionOf(listed, terms),
    targetDurationSeconds: terms.targetDurationSeconds,
    mediaSequence: first?.msn ?? 0,
    discontinuitySequence: terms.firstDiscontinuity + discontinuitiesBefore(first),
    independentSegments: listed.every(isIndependent),
    ...(partTargetSeconds === undefined ? {} : lowLatencyTerms(partTargetSeconds, terms)),
    ...(skipped > 0 ? { skippedSegments: skipped } : {}),
    segments: listed.flatMap((segment, index) =>
      index < skipped || !(segment.complete || segment.parts.length > 0)
        ? []
        : [describe(segment, window, index >= shown)],
    ),
    ...(hint === undefined ? {} : { preloadHint: { type: 'PART', uri: hint } as const }),
    ...(partTargetSeconds === undefined ? {} : { renditionReports: reports(rendition, all) }),
    ended: terms.ended,
  }
}

/** True when a decoder can start at the segment's beginning. */
export function isIndependent(segment: Segment): boolean {
  return segment.parts.length === 0 || segment.parts[0]!.independent
}

function describe(segment: Segment, window: SegmentWindow, withParts: boolean): MediaSegment {
  const { msn, period, startSeconds, initName } = segment
  const parts = segment.parts.map(({ durationSeconds, independent }, index) => {
    return { uri: window.partName(msn, index), durationSeconds, independent }
  })
  return {
    ...(segment.complete ? { uri: window.segmentName(msn) } : {}),
    durationSeconds: segment.durationSeconds,
    programDateTimeMs: Math.round(period.originMs + startSeconds * 1000),
    ...(segment.discontinuity ? { discontinuity: true } : {}),
    ...(isGap(segment) ? { gap: true } : {}),
    ...(initName === undefined ? {} : { initUri: initName }),
    ...(withParts && segment.divided && parts.length > 0 ? { parts } : {}),
  }
}

/** The low-latency attributes of a playlist: its part target and server control. */
export function lowLatencyTerms(partTargetSeconds: number, { targetDurationSeconds }: Target) {
  return {
    partTargetSeconds,
    serverControl: {
      canBlockReload: true,
      partHoldBackSeconds: partTargetSeconds * PART_HOLD_BACK,
      canSkipUntilSeconds: targetDurationSeconds * SKIP_TARGET_DURATIONS,
    },
  }
}

export function versionOf(listed: readonly Segment[], { format, partTargetSeconds }: PresentationTerms): number {
  if (partTargetSeconds !== undefined) return VERSION.lowLatency
  if (listed.some(isGap)) return VERSION.gap
  return format === 'ts' ? VERSION.plain : VERSION.map
}

/** The number of segments at the start that lie beyond the skip boundary as a whole. */
export function skippable(listed: readonly TimedSegment[], { targetDurationSeconds }: Target): number {
  const boundarySeconds = targetDurationSeconds * SKIP_TARGET_DURATIONS
  let laterSeconds = 0
  for (const [index, { complete, durationSeconds }] of [...listed.entries()].toReversed()) {
    if (laterSeconds >= boundarySeconds) return index + 1
    // Players may have less of the segment that is being made.
    if (complete) laterSeconds += durationSeconds
  }
  return 0
}

/** The index of the first segment with listed parts. */
export function partsFrom(listed: readonly TimedSegment[], { targetDurationSeconds }: Target): number {
  let toEndSeconds = 0
  for (const [index, { durationSeconds }] of [...listed.entries()].toReversed()) {
    toEndSeconds += durationSeconds
    if (toEndSeconds > targetDurationSeconds * PARTS_TARGET_DURATIONS) return index + 1
  }
  return 0
}

/** The number of discontinuities that are not listed any more. */
function discontinuitiesBefore(first: Segment | undefined): number {
  return first ? first.period.index - (first.discontinuity ? 1 : 0) : 0
}

function reports(rendition: ListedRendition, all: Iterable<ListedRendition>) {
  const others = [...all].filter((other) => other !== rendition && other.lastMsn >= 0)
  return others.map(({ name, lastMsn, window }) => {
    const lastPart = (window.find(lastMsn)?.divided === true ? window.find(lastMsn)!.parts.length : 0) - 1
    return { uri: `${name}.m3u8`, lastMsn, ...(lastPart >= 0 ? { lastPart } : {}) }
  })
}
