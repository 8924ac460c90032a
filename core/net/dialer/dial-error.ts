/** The reason why a connection was not opened. The message is for people, and contains no secrets. */
export class DialError extends Error {
  override readonly name = 'DialError'
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name is not known at present',
  ETIMEDOUT: 'no answer in time',
}

/** The reason of a failure for people: in plain words for common errors, else with the system's message. */
export function dialReason(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if (error instanceof DialError) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const words = REASONS[code]
  return words === undefined ? code || 'failed' : `${words} (${code})`
}
