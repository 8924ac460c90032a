import { setTimeout as delay } from 'node:timers/promises'

const DEFAULT_TIMEOUT_MS = 60_000
const INTERVAL_MS = 20

export type WaitOptions = {
  /** Defaults to 60 s: a bound of what hangs, which a machine with other work to do does not reach. */
  readonly timeoutMs?: number
  /** Between two looks; defaults to 20 ms. Longer where a look costs the machine something. */
  readonly intervalMs?: number
  /** What is waited for, for the error's message. */
  readonly what?: string
}

/**
 * Waits until a condition gives something else than `undefined`, `null` or `false`, and returns that.
 * @throws {Error} when it did not in time, with the condition's last rejection as its cause
 */
export async function waitFor<Value>(
  condition: () => Value | Promise<Value>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, intervalMs = INTERVAL_MS, what = 'the condition' }: WaitOptions = {},
): Promise<Exclude<Value, undefined | null | false>> {
  const endMs = performance.now() + timeoutMs
  let cause: unknown
  do {
    try {
      const value = await condition()
      if (value !== undefined && value !== null && value !== false) {
        return value as Exclude<Value, undefined | null | false>
      }
      cause = undefined
    } catch (error) {
      cause = error
    }
    await delay(intervalMs)
  } while (performance.now() < endMs)
  throw new Error(`waited ${timeoutMs} ms for ${what}`, { cause })
}
