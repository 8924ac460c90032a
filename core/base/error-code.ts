/** The `code` of a system's error, such as `EADDRINUSE`; empty where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
