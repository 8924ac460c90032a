/** A step that is longer than this beside the usual one has lost frames in it. */
const MAX_JITTER_FACTOR = 1.6
/** Longer steps that take more of the time than this are no exceptions. */
const MAX_STRAY_SHARE = 0.25

/** The usual steps from frame to frame. */
export type FrameRhythm = {
  /** The average of those that are usual. */
  readonly usualSeconds: number
  /** The longest of the usual steps less the shortest. */
  readonly jitterSeconds: number
  /** The longest of the usual ones; of all where no rate is usual. */
  readonly longestSeconds: number
  /** Frames come at a rate that changes. */
  readonly varies: boolean
}

/** @param steps In seconds, one at least. */
export function rhythmOf(steps: readonly number[]): FrameRhythm {
  const sorted = steps.toSorted((one, other) => one - other)
  const totalSeconds = sum(sorted)
  const limitSeconds = middleOf(sorted, totalSeconds) * MAX_JITTER_FACTOR
  const usual = sorted.filter((step) => step <= limitSeconds)
  const usualTotalSeconds = sum(usual)
  const varies = totalSeconds - usualTotalSeconds > totalSeconds * MAX_STRAY_SHARE
  const longestSeconds = usual.at(-1) ?? 0
  return {
    usualSeconds: usualTotalSeconds / usual.length,
    jitterSeconds: longestSeconds - (usual[0] ?? 0),
    longestSeconds: varies ? (sorted.at(-1) ?? 0) : longestSeconds,
    varies,
  }
}

/** The step that lasts in the middle of the time: a burst of many short ones does not outweigh the long ones. */
function middleOf(sorted: readonly number[], totalSeconds: number): number {
  let passedSeconds = 0
  return sorted.find((step) => (passedSeconds += step) >= totalSeconds / 2) ?? 0
}

function sum(steps: readonly number[]): number {
  return steps.reduce((total, step) => total + step, 0)
}
