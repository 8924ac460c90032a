import { checkStreamPath, StreamRedirect, type Resolution } from 'sluice/sdk'

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
