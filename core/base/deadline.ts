/**
 * The result of `work`, which goes on when it is late, but nobody hears of it any more.
 * @throws {Error} what `late` makes, once `timeoutMs` have passed
 */
export async function withDeadline<T>(work: PromiseLike<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), timeoutMs)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Whether a callback's result is to be waited for. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Waits for `work`, unless the signal aborts before that is done; the work itself goes on, and its outcome is dropped.
 * @throws {unknown} the signal's reason, once it is aborted
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
