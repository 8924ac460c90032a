import type { RecordedFile, TimeRange } from 'sluice/sdk'

/** Times in whole milliseconds of one keyframe may lie so far apart. */
const SLACK_MS = 2

/** What is taken of a file, in milliseconds of it: see `DownloadSource`. */
export type RecordedPart<File> = { readonly file: File; readonly fromMs?: number; readonly toMs?: number }

/**
 * The parts of files in a time; of files that have the same time by the same clock, the one that began first has it.
 * @param files in the order of their beginnings
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
