/** A source can't be pulled; the message holds nothing secret. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** What a connection says of its end. Where several addresses were tried, the error has no message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  return error.message || ('code' in error ? String(error.code) : error.name)
}
