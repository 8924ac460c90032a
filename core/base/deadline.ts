/** The most time that one turn of the event loop counts for. */
const MAX_TURN_MS = 250
/** The least number of turns of a short deadline. */
const MIN_TURNS = 4

/**
 * Does as `withDeadline` of the sdk, but counts only time in which the work could go on, which it can't while other work or a busy
 * machine holds the event loop up.
 */
export async function withTurningDeadline<T>(work: PromiseLike<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const turnMs = Math.min(MAX_TURN_MS, timeoutMs / MIN_TURNS)
  let leftMs = timeoutMs
  const timer = setInterval(() => {
    leftMs -= turnMs
    if (leftMs <= 0) reject(late())
  }, turnMs)
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearInterval(timer)
  }
}

/** True for a value, such as the result of a callback, that is to be waited for. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Waits for `work`, unless the signal aborts first; the work then goes on, and its outcome is dropped.
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
