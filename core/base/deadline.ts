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

/** A turn of the event loop counts for no longer than this. */
const MAX_TURN_MS = 250
/** A short deadline is cut into so many turns at least. */
const MIN_TURNS = 4

/**
 * Does as {@link withDeadline}, and counts only time in which the work could go on: while the event loop is held up, by others
 * or by a busy machine, it could not.
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
