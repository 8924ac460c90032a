import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from 'sluice/sdk'
import { StorageError } from '../storage-error.ts'

/** The number of attempts after which a failure is returned. */
const MAX_TRIES = 5
const FIRST_WAIT_MS = 250

/**
 * Repeats work while its failures may pass, with growing pauses.
 * @param signal ends the pauses, and the repetition, when it aborts
 * @throws {unknown} the last failure, or the signal's reason
 */
export async function retried<Value>(work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      if (tries === MAX_TRIES || !(error instanceof StorageError) || !error.passes) throw error
    }
    await pause(backoffMs(tries, FIRST_WAIT_MS, Math.random()), signal)
  }
}

async function pause(timeMs: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(timeMs, undefined, signal && { signal })
  } catch (error) {
    // The runtime's own error does not have the reason of the signal.
    signal?.throwIfAborted()
    throw error
  }
}
