import { InvalidRequest, type RecordedFile } from 'sluice/sdk'
import type { MediaSegment } from '../wire/media-playlist.ts'

/** The most segments of a playlist: those of more than ten days. */
const MAX_SEGMENTS = 100_000

/** The largest difference of two times of one keyframe, rounded to milliseconds. */
const SLACK_MS = 2

/** A segment of a stream's recordings, in milliseconds since the Unix epoch. */
export type VodSegment = {
  readonly startMs: number
  readonly endMs: number
  /** The clock of its times; see `RecordedFile.clockMs`. */
  readonly clockMs: number
  /** True when it does not continue the one before: nothing was recorded in between, or something else. */
  readonly discontinuity: boolean
}

type Range = { readonly startMs: number | undefined; readonly endMs: number | undefined }
type Cut = Pick<RecordedFile, 'startMs' | 'endMs' | 'clockMs' | 'cutsMs' | 'videoCodec' | 'audioCodec'>
type WholeFile = Pick<RecordedFile, 'id' | 'startMs' | 'endMs' | 'clockMs' | 'headBytes' | 'sizeBytes'>

/**
 * The segments of a time, one after another, each within one file; when several files by the same clock contain the same time, it belongs
 * to the one that began first.
 * @param files in the order of their beginnings
 * @throws {InvalidRequest} when there are too many
 */
export function vodSegments(
  files: readonly Cut[],
  { startMs: fromMs = -Infinity, endMs: toMs = Infinity }: Range,
): VodSegment[] {
  const segments: VodSegment[] = []
  const doneByClock = new Map<number, number>()
  let before: Cut | undefined
  let beforeEndMs = -Infinity
  for (const file of files) {
    const { clockMs } = file
    for (const { startMs, endMs } of piecesOf(file)) {
      const doneMs = doneByClock.get(clockMs) ?? -Infinity
      const range = { startMs: Math.max(startMs, fromMs), endMs: Math.min(endMs, toMs) }
      if (startMs < doneMs || range.endMs - range.startMs <= SLACK_MS) continue
      if (segments.length === MAX_SEGMENTS)
        throw new InvalidRequest('the range is too long for one playlist: ask for a part of it')
      const goesOn = startMs === beforeEndMs && clockMs === before?.clockMs && hasCodecsOf(file, before)
      segments.push({ ...range, clockMs, discontinuity: before !== undefined && !goesOn })
      before = file
      beforeEndMs = endMs
      doneByClock.set(clockMs, endMs)
    }
  }
  return segments
}

/**
 * The files as segments, each with its own head: times begin again with each. A file that begins before the end of the one before, by the
 * same clock, is left out, as a part of a file can't be.
 */
export function fileSegments(files: readonly WholeFile[], addressOf: (file: WholeFile) => string): MediaSegment[] {
  const doneByClock = new Map<number, number>()
  const listed = files.filter(({ startMs, endMs, clockMs, headBytes, sizeBytes }) => {
    const doneMs = doneByClock.get(clockMs) ?? -Infinity
    if (endMs <= startMs || sizeBytes <= headBytes || startMs < doneMs - SLACK_MS) return false
    doneByClock.set(clockMs, endMs)
    return true
  })
  return listed.map((file, index) => {
    const { startMs, endMs, headBytes, sizeBytes } = file
    const uri = addressOf(file)
    return {
      uri,
      initUri: uri,
      durationSeconds: (endMs - startMs) / 1e3,
      programDateTimeMs: startMs,
      initRange: {
        offset: 0,
        sizeBytes: headBytes,
      },
      range: {
        offset: headBytes,
        sizeBytes: sizeBytes - headBytes,
      },
      discontinuity: index > 0,
    }
  })
}

function* piecesOf({ startMs, endMs, cutsMs }: Cut): Generator<{ readonly startMs: number; readonly endMs: number }> {
  const lengthMs = endMs - startMs
  let fromMs = 0
  for (const cutMs of cutsMs) {
    if (cutMs >= lengthMs) break
    yield { startMs: startMs + fromMs, endMs: startMs + cutMs }
    fromMs = cutMs
  }
  if (lengthMs > fromMs) yield { startMs: startMs + fromMs, endMs }
}

function hasCodecsOf(file: Cut, before: Cut): boolean {
  return file.videoCodec === before.videoCodec && file.audioCodec === before.audioCodec
}
