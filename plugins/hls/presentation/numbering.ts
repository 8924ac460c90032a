/** So that numbers fit into 31 bits until 2037. */
const EPOCH_MS = Date.UTC(2020, 0, 1)
/** Half the shortest segment: time outruns the numbers of a presentation that is made, however long it lives. */
const MSN_STEP_MS = 250
/** hls.js keeps a list that is as long as the numbers of discontinuities are high, and walks it for each part. */
const DISCONTINUITY_LIMIT = 10_000

/**
 * Where a presentation begins to count its segments and discontinuities. It may take a former one's place, after a
 * restart too; players then go on when segments have numbers that they do not know, and timelines other ones.
 */
export function firstNumbers(nowMs: number): { readonly msn: number; readonly discontinuity: number } {
  return {
    msn: Math.max(0, Math.floor((nowMs - EPOCH_MS) / MSN_STEP_MS)),
    discontinuity: Math.floor(nowMs / 1000) % DISCONTINUITY_LIMIT,
  }
}
