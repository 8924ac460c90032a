/** Why a connection was not opened. The message is for people, and holds nothing secret. */
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

/** What a person is told of a failure: in plain words where there are some, and as the system calls it. */
export function dialReason(error: unknown): string {
  if (!(error instanceof Error)) return 'failed'
  if (error instanceof DialError) return error.message
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const words = REASONS[code]
  return words === undefined ? code || 'failed' : `${words} (${code})`
}
