import type { AccessUnit, Recording } from 'sluice/sdk'

/** The least distance of two cuts: parts that are cut out of files are about this long. */
const CUT_MS = 10_000
/** The most cuts of a file, enough for more than a day. The rest of a longer file is one part. */
const MAX_CUTS = 10_000

/** Adds the time of a keyframe to the cuts of its file, when it is far enough from the last cut. */
export function noteCut(cutsMs: number[], keyframe: AccessUnit): void {
  const timeMs = Math.round(keyframe.dtsMs)
  if (timeMs - (cutsMs.at(-1) ?? 0) >= CUT_MS && cutsMs.length < MAX_CUTS) cutsMs.push(timeMs)
}

/** Finds the cuts of a file that has no stored ones. @throws {Error} when the file can't be read */
export async function findCuts(recording: Recording): Promise<number[]> {
  const cutsMs: number[] = []
  for (let positionMs = CUT_MS; positionMs < recording.durationMs && cutsMs.length < MAX_CUTS;) {
    await recording.seek(positionMs)
    const unit = await recording.next()
    const timeMs = unit === undefined ? 0 : Math.round(unit.dtsMs)
    const isNew = timeMs > (cutsMs.at(-1) ?? 0)
    if (isNew) cutsMs.push(timeMs)
    // Keyframes may be farther apart than `CUT_MS`.
    positionMs = (isNew ? timeMs : positionMs) + CUT_MS
  }
  return cutsMs
}
