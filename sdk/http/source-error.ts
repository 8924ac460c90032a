/** A source can't be pulled, or a part of it can't; the message holds nothing secret. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** The server's HTTP status, where the status is the error. */
  readonly status: number | undefined

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

/** Returns the reason of a connection's end, which the HTTP client puts into the cause of its own error. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return 'it failed'
  // The error has no message when several addresses were tried.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
