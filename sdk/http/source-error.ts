/** A source can't be pulled, or a part of it can't; the message holds nothing secret. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  /** What the server answered, where that is what is wrong. */
  readonly status: number | undefined

  constructor(message: string, { status, ...options }: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options)
    this.status = status
  }
}

/** What a connection says of its end; the client of HTTP puts that into the cause of its own error. */
export function networkReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return 'it failed'
  // Where several addresses were tried, the error has no message.
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
