import type { Logger } from 'pino'
import { isPromiseLike } from './deadline.ts'

/** Calls a function of a plugin; an error that it throws or rejects with is logged as the failure of `what`, and goes no further. */
export function guard(log: Logger, what: string, call: () => unknown, onFailure?: () => void): void {
  const failed = (err: unknown) => {
    log.error({ err }, `${what} failed`)
    onFailure?.()
  }
  try {
    const result = call()
    if (isPromiseLike(result)) result.then(undefined, failed)
  } catch (err) {
    failed(err)
  }
}
