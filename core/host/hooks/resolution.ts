import { checkStreamPath, StreamRedirect, type Lead, type Resolution } from 'sluice/sdk'

/** The longest that a `resolve` hook can have subscribers wait. */
const MAX_WITHIN_MS = 60_000

/**
 * What a `resolve` hook has answered. As plugins may be written without types, anything else than an object counts by
 * whether it is true.
 * @throws {TypeError} when the answer is an object that says nothing, or an address that nobody can be sent to
 * @throws {InvalidRequest} when the path can't be one
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
 * The lead that a `lead` hook has answered with; undefined where it leaves the subscriber where it is.
 * @throws {TypeError} when the answer is something else
 * @throws {InvalidRequest} when its path can't be one
 */
export function leadOf(answer: unknown): Lead | undefined {
  if (answer === undefined) return undefined
  const isLead = typeof answer === 'object' && answer !== null && 'streamPath' in answer && 'params' in answer
  if (!isLead || typeof answer.streamPath !== 'string' || typeof answer.params !== 'object' || answer.params === null) {
    throw new TypeError('a lead hook answers with { streamPath, params } or undefined')
  }
  return { streamPath: checkStreamPath(answer.streamPath), params: answer.params as Lead['params'] }
}
