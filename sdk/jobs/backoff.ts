/** The longest wait, unless another one is given, or the first one is longer. */
export const MAX_BACKOFF_MS = 60_000
/** The shortest wait, also for a rule with a shorter one: a server that refuses at once gets a pause. */
const MIN_BACKOFF_MS = 20
/** The share of its length by which a wait varies, so that jobs that failed together are not tried together. */
const JITTER = 0.2

/**
 * Returns the wait for the next try, in milliseconds: the interval after the first failure, twice as long after each further
 * one, up to a longest wait.
 * @param failures the number of failures in a row, from 1 on
 * @param random a number from 0 to 1, evenly distributed
 */
export function backoffMs(failures: number, intervalMs: number, random: number, maxMs = MAX_BACKOFF_MS): number {
  const firstMs = Math.max(intervalMs, MIN_BACKOFF_MS)
  const doubledMs = Math.min(firstMs * 2 ** (failures - 1), Math.max(firstMs, maxMs))
  return doubledMs * (1 - JITTER + 2 * JITTER * random)
}
