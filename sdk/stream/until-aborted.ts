/** Rejects with the signal's reason when it aborts, and never resolves: for `Promise.race`. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  const fail = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
  if (signal.aborted) fail()
  else signal.addEventListener('abort', fail, { once: true })
  return promise
}
