/** Returns true for a keyframe that becomes a picture, by its time in the stream in milliseconds. */
export type PicturePace = (timeMs: number) => boolean

/** The share of the interval by which keyframes may come early: they are not quite as far apart as intended. */
const TOLERANCE = 0.1

/** A picture each time `intervalMs` has passed; of each keyframe for 0. */
export function everyInterval(intervalMs: number): PicturePace {
  let lastMs: number | undefined
  return (timeMs) => {
    // Time that goes back is another's.
    const passedMs = lastMs === undefined || timeMs < lastMs ? Infinity : timeMs - lastMs
    if (passedMs < intervalMs * (1 - TOLERANCE)) return false
    lastMs = timeMs
    return true
  }
}

/** A picture of one keyframe out of `count`, the first one among them. */
export function everyNth(count: number): PicturePace {
  let index = -1
  return () => {
    index = (index + 1) % count
    return index === 0
  }
}
