/** The answer of an operation that worked; list operations put `total`, `pageNum` and `pageSize` beside `data`. */
export function ok(data?: unknown, extra?: Readonly<Record<string, unknown>>) {
  return { code: 0, message: 'success', data, ...extra }
}

/** The body of an answer with an HTTP error status. */
export type Failure = { readonly code: number; readonly message: string; readonly details: readonly [] }

const UNKNOWN = 2
const INVALID_ARGUMENT = 3
/** The gRPC status codes that go with HTTP ones. */
const CODES: Readonly<Record<number, number>> = {
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
