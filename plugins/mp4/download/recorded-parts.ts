import type { RecordedFile, TimeRange } from 'sluice/sdk'

/** The largest difference of two times of one keyframe, rounded to milliseconds. */
const SLACK_MS = 2

/** The part of a file that is taken, in milliseconds of the file: see `DownloadSource`. */
export type RecordedPart<File> = { readonly file: File; readonly fromMs?: number; readonly toMs?: number }

/**
 * The parts of files in a time range; when several files by the same clock contain the same time, it belongs to the one that began first.
 * @param files the files in the order of their beginnings
 */
export function recordedParts<File extends Pick<RecordedFile, 'startMs' | 'endMs' | 'clockMs'>>(
  files: readonly File[],
  { startMs: rangeStartMs = -Infinity, endMs: rangeEndMs = Infinity }: TimeRange,
): RecordedPart<File>[] {
  const parts: RecordedPart<File>[] = []
  const doneByClock = new Map<number, number>()
  for (const file of files) {
    const { startMs, endMs, clockMs } = file
    const doneMs = doneByClock.get(clockMs) ?? rangeStartMs
    if (endMs <= doneMs || startMs >= rangeEndMs) continue
    const fromMs = doneMs - startMs
    parts.push({
      file,
      ...(fromMs > SLACK_MS && { fromMs }),
      ...(rangeEndMs < endMs && { toMs: rangeEndMs - startMs }),
    })
    doneByClock.set(clockMs, Math.min(endMs, rangeEndMs))
  }
  return parts
}
