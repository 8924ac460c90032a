/** Returns the text of a thrown value for a person: the message of an error, or another value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the `code` of a system's error, such as `EADDRINUSE`; empty when it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
