import { STATUS_CODES } from 'node:http'
import { SluiceError } from '../errors/sluice-error.ts'
import { StreamRedirect } from '../errors/stream-errors.ts'

/** The body of an answer with an HTTP error status. */
export type Failure = { readonly code: number; readonly message: string; readonly details: readonly [] }

const UNKNOWN = 2
const INVALID_ARGUMENT = 3
/** Caches keep a 404 for minutes without this header, which is too long for a stream that begins in the next second. */
export const ERROR_HEADERS = { 'cache-control': 'no-store' } as const
/** The gRPC status codes that go with HTTP ones. */
const CODES: Readonly<Record<number, number>> = {
  302: 14,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  409: 6,
  429: 8,
  501: 12,
  503: 14,
  504: 4,
}

/** The error body that goes with an HTTP status: `code` is the gRPC status code, 3 for bad requests and 2 at a loss. */
export function failure(statusCode: number, message: string): Failure {
  const code = CODES[statusCode] ?? (statusCode < 500 ? INVALID_ARGUMENT : UNKNOWN)
  return { code, message, details: [] }
}

/** Problem details of an HTTP status (RFC 9457, 3.1). */
export type Problem = {
  readonly type: 'about:blank'
  readonly title: string
  readonly status: number
  readonly detail: string
}

/** The body of an error as problem details. */
export function problemOf(status: number, detail: string): Problem {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? '', status, detail }
}

export type ErrorReply = {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Failure
  /** True for an error that nothing foresaw: the client gets no detail, the log all of it. */
  readonly unexpected: boolean
}

/**
 * The answer to a request after its handler threw. Named errors of the sdk and errors with a `statusCode` of 4xx, as
 * fastify's own, show their message; all others are a plain 500.
 */
export function errorReply(error: unknown): ErrorReply {
  if (error instanceof StreamRedirect) {
    const { statusCode, url, message } = error
    const headers = { ...ERROR_HEADERS, location: url }
    return { statusCode, headers, body: failure(statusCode, message), unexpected: false }
  }
  const statusCode = statusOf(error)
  const shown = error instanceof Error && (error instanceof SluiceError || statusCode < 500)
  const message = shown ? error.message : 'internal error'
  const headers = { ...ERROR_HEADERS, ...headersOf(error) }
  return { statusCode, headers, body: failure(statusCode, message), unexpected: !shown }
}

/** Returns the headers that a named error adds to its answer, such as `Retry-After`. */
function headersOf(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof SluiceError) || !('headers' in error)) return {}
  return error.headers as Readonly<Record<string, string>>
}

function statusOf(error: unknown): number {
  if (!(error instanceof Error) || !('statusCode' in error)) return 500
  const { statusCode } = error
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode <= 599 ? statusCode : 500
}
