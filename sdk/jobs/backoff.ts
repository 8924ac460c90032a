/** The longest wait, unless another one is given, or the first one is longer. */
export const MAX_BACKOFF_MS = 60_000
/** The shortest wait, also where the rule has a shorter one: a server that refuses at once gets a pause. */
const MIN_BACKOFF_MS = 20
/** Waits vary by so much of their length, so that what failed together is not tried together. */
const JITTER = 0.2

/**
 * How long to wait for the next try, in milliseconds: the interval after the first failure, twice as long after each further
 * one, up to a longest wait.
 * @param failures in a row, from 1 on
 * @param random from 0 to 1, evenly spread
 */
export function backoffMs(failures: number, intervalMs: number, random: number, maxMs = MAX_BACKOFF_MS): number {
  const firstMs = Math.max(intervalMs, MIN_BACKOFF_MS)
  const doubledMs = Math.min(firstMs * 2 ** (failures - 1), Math.max(firstMs, maxMs))
  return doubledMs * (1 - JITTER + 2 * JITTER * random)
}
