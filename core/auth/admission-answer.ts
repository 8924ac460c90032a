import { checkStreamPath, StreamDenied } from 'sluice/sdk'

/** The answer of a control server (spec.md, Admission response body). */
export type AdmissionAnswer = {
  readonly allowed: boolean
  readonly streamPath: string | undefined
  readonly lifetimeMs: number | undefined
  readonly reason: string | undefined
}

/**
 * Parses an answer. A value that is no object allows nothing. Errors never quote the answer.
 * @throws {Error} when it is not JSON
 * @throws {StreamDenied} when its `stream_path` is no path: the session may not begin on another path instead
 */
export function parseAdmissionAnswer(body: string): AdmissionAnswer {
  const value = parseJson(body)
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  const { allowed, stream_path: path, lifetime_ms: lifetime, reason } = fields
  return {
    allowed: allowed === true,
    streamPath: allowed === true ? parseRewrittenPath(path) : undefined,
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

/**
 * Checks the path of an answer, which has neither scheme nor host. Servers whose language has no missing strings send an
 * empty one, which rewrites nothing.
 */
function parseRewrittenPath(path: unknown): string | undefined {
  if (path === undefined || path === null || path === '') return undefined
  if (typeof path !== 'string') throw new StreamDenied("the stream_path of the control server's answer is not a string")
  if (path.includes('://') || path.startsWith('//'))
    throw new StreamDenied("the stream_path of the control server's answer has a scheme or host")
  try {
    return checkStreamPath(path)
  } catch (error) {
    throw new StreamDenied(new Error("the stream_path of the control server's answer is no path", { cause: error }))
  }
}
