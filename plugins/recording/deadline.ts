import { untilAborted } from 'sluice/sdk'

/**
 * The result of `work`, which goes on when it is late, but nobody hears of it any more.
 * @throws {Error} what `late` makes, once `timeoutMs` have passed
 */
export async function withDeadline<T>(work: PromiseLike<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const over = new AbortController()
  const timer = setTimeout(() => over.abort(late()), timeoutMs)
  try {
    return await Promise.race([work, untilAborted(over.signal)])
  } finally {
    clearTimeout(timer)
  }
}
