import type { AccessUnit, Recording } from 'sluice/sdk'

/** Parts that are cut out of files are about so long. */
const CUT_MS = 10_000
/** Most cuts of a file, those of more than a day. What comes after is one cut. */
const MAX_CUTS = 10_000

/** Notes a keyframe where it is far enough from the cut before. */
export function noteCut(cutsMs: number[], keyframe: AccessUnit): void {
  const timeMs = Math.round(keyframe.dtsMs)
  if (timeMs - (cutsMs.at(-1) ?? 0) >= CUT_MS && cutsMs.length < MAX_CUTS) cutsMs.push(timeMs)
}

/** Looks for the cuts of a file, of which none were kept. @throws {Error} when it can't be read */
export async function findCuts(recording: Recording): Promise<number[]> {
  const cutsMs: number[] = []
  for (let positionMs = CUT_MS; positionMs < recording.durationMs && cutsMs.length < MAX_CUTS;) {
    await recording.seek(positionMs)
    const unit = await recording.next()
    const timeMs = unit === undefined ? 0 : Math.round(unit.dtsMs)
    const isNew = timeMs > (cutsMs.at(-1) ?? 0)
    if (isNew) cutsMs.push(timeMs)
    // Keyframes may be farther apart.
    positionMs = (isNew ? timeMs : positionMs) + CUT_MS
  }
  return cutsMs
}
