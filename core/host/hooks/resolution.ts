import { checkStreamPath, StreamRedirect, type Lead, type Resolution } from 'sluice/sdk'

/** The longest time that a `resolve` hook can make subscribers wait. */
const MAX_WITHIN_MS = 60_000

/**
 * Checks the answer of a `resolve` hook. As plugins may be written without types, every value that is no object is converted
 * to a boolean.
 * @throws {TypeError} when the answer is an object without a valid property, or with an invalid address to redirect to
 * @throws {InvalidRequest} when the path is not valid
 */
export function resolutionOf(answer: unknown, requestedPath: string): Resolution {
  if (typeof answer !== 'object' || answer === null) return Boolean(answer)
  if ('streamPath' in answer && typeof answer.streamPath === 'string') {
    const streamPath = checkStreamPath(answer.streamPath)
    return streamPath === requestedPath || { streamPath }
  }
  if ('redirect' in answer && typeof answer.redirect === 'string') {
    return { redirect: new StreamRedirect(answer.redirect).url }
  }
  if ('withinMs' in answer && typeof answer.withinMs === 'number' && answer.withinMs > 0) {
    return { withinMs: Math.min(answer.withinMs, MAX_WITHIN_MS) }
  }
  throw new TypeError('a resolve hook answers with a boolean, { streamPath }, { redirect } or { withinMs }')
}

/**
 * Checks the answer of a `lead` hook; undefined when the hook does not lead the subscriber elsewhere.
 * @throws {TypeError} when the answer has another type
 * @throws {InvalidRequest} when its path is not valid
 */
export function leadOf(answer: unknown): Lead | undefined {
  if (answer === undefined) return undefined
  const isLead = typeof answer === 'object' && answer !== null && 'streamPath' in answer && 'params' in answer
  if (!isLead || typeof answer.streamPath !== 'string' || typeof answer.params !== 'object' || answer.params === null) {
    throw new TypeError('a lead hook answers with { streamPath, params } or undefined')
  }
  return { streamPath: checkStreamPath(answer.streamPath), params: answer.params as Lead['params'] }
}
