import { checkStreamPath } from 'sluice/sdk'

/** What a control server said (spec.md, Admission response body). */
export type AdmissionAnswer = {
  readonly allowed: boolean
  readonly streamPath: string | undefined
  readonly lifetimeMs: number | undefined
  readonly reason: string | undefined
}

/**
 * Parses an answer. What is no object allows nothing.
 * @throws {Error} when it is not JSON or rewrites the path to something that is none; it never quotes the answer
 */
export function parseAdmissionAnswer(body: string): AdmissionAnswer {
  const value = parseJson(body)
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  const { allowed, stream_path: path, lifetime_ms: lifetime, reason } = fields
  return {
    allowed: allowed === true,
    streamPath: allowed === true && path !== undefined && path !== null ? parseRewrittenPath(path) : undefined,
    lifetimeMs: typeof lifetime === 'number' && Number.isSafeInteger(lifetime) && lifetime >= 0 ? lifetime : undefined,
    reason: typeof reason === 'string' ? reason : undefined,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('its answer is not JSON')
  }
}

/** A path and nothing else: more is asked of it than of a path that a client names, which gates have seen. */
function parseRewrittenPath(path: unknown): string {
  if (typeof path !== 'string') throw new Error('the stream_path of its answer is not a string')
  const [first = ''] = path.split('/', 1)
  if (first.includes(':') || path.startsWith('//'))
    throw new Error('the stream_path of its answer has a scheme or host')
  if (path.includes('..')) throw new Error('the stream_path of its answer has ".."')
  if (/\p{Cc}/u.test(path)) throw new Error('the stream_path of its answer has control characters')
  try {
    return checkStreamPath(path)
  } catch (error) {
    throw new Error('the stream_path of its answer is no path', { cause: error })
  }
}
