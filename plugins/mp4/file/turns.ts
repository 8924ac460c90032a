import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** So long is worked in one turn of the event loop, as media of others can't wait. */
const TURN_MS = 2

/**
 * Does work that yields often, for a while in each turn of the event loop, and returns its result.
 * @throws the error of the work, or the reason of the signal's abort
 */
export async function inTurns<Result>(work: Generator<void, Result>, signal?: AbortSignal): Promise<Result> {
  let beganMs = performance.now()
  for (;;) {
    const { done, value } = work.next()
    if (done === true) return value
    if (performance.now() - beganMs < TURN_MS) continue
    await nextTurn()
    signal?.throwIfAborted()
    beganMs = performance.now()
  }
}
