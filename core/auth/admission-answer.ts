import { checkStreamPath } from '../stream/stream-path.ts'

/** Longest `reason` of a control server that is logged. */
const MAX_REASON_LENGTH = 256

/** What a control server said (spec.md, Admission response body). */
export type AdmissionAnswer = {
  readonly allowed: boolean
  readonly streamPath: string | undefined
  readonly lifetimeMs: number | undefined
  readonly reason: string | undefined
}

/**
 * Parses an answer.
 * @throws {Error} when it is not JSON or rewrites the path to something that is none
 */
export function parseAdmissionAnswer(body: string): AdmissionAnswer {
  const value: unknown = JSON.parse(body)
  const fields: Record<string, unknown> = typeof value === 'object' && value !== null ? { ...value } : {}
  const { allowed, stream_path: path, lifetime_ms: lifetime, reason } = fields
  return {
    allowed: allowed === true,
    streamPath: allowed === true && path !== undefined && path !== null ? parseRewrittenPath(path) : undefined,
    lifetimeMs: typeof lifetime === 'number' && Number.isSafeInteger(lifetime) && lifetime >= 0 ? lifetime : undefined,
    reason: typeof reason === 'string' ? printable(reason) : undefined,
  }
}

function parseRewrittenPath(path: unknown): string {
  if (typeof path !== 'string') throw new Error('stream_path of the answer is not a string')
  if (path.includes('://') || path.startsWith('//')) throw new Error('stream_path of the answer has a scheme or host')
  return checkStreamPath(path)
}

function printable(text: string): string {
  return text.slice(0, MAX_REASON_LENGTH).replace(/\p{Cc}/gu, ' ')
}
