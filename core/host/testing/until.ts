import { setTimeout } from 'node:timers/promises'

const POLL_MS = 5

/** Waits for a condition; fails with its description when it is still false after `timeoutMs`, which is far more than it needs. */
export async function until(what: string, condition: () => boolean, timeoutMs = 30_000): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${what}`)
    await setTimeout(POLL_MS)
  }
}
