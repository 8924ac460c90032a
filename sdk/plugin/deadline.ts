/**
 * Waits for the result of `work`, for `timeoutMs` milliseconds at most. Work that is late is not ended: it goes on, and its result or
 * error is dropped. Give it an `AbortSignal` of its own where it must end.
 * @param late makes the error of work that is late
 * @throws {Error} the error that `late` makes, once `timeoutMs` have passed
 * @throws the error of the work, when it fails in time
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
