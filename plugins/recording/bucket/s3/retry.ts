import { setTimeout as delay } from 'node:timers/promises'
import { backoffMs } from 'sluice/sdk'
import { StorageError } from '../storage-error.ts'

/** How often a request is made before its failure is told. */
const MAX_TRIES = 5
const FIRST_WAIT_MS = 250

/**
 * Does something again while it fails in what may pass, with pauses that grow.
 * @param signal ends the pauses, and what is done by it
 * @throws {unknown} what it has failed in at last; what the signal aborts for
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
    // The runtime's own error says nothing of why.
    signal?.throwIfAborted()
    throw error
  }
}
