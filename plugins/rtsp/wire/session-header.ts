import { MalformedError } from 'sluice/sdk/media'

/** Servers make up 8 to some 40 characters. */
export const MAX_SESSION_ID_LENGTH = 256

/** Header `Session` (RFC 2326 12.37). */
export type SessionHeader = {
  readonly id: string
  /** The session's timeout without a sign of life, in seconds, in responses; default 60. */
  readonly timeoutSeconds?: number
}

const CONTROL = /[\u0000-\u001f\u007f]/u
const TIMEOUT = /^timeout\s*=\s*"?(\d{1,6})(?!\d)/iu

/**
 * Parses the header. An identifier ends at the semicolon: servers put blanks, quotes and commas into theirs, and expect them back.
 * @throws {MalformedError} when there is no identifier, or one that is too long. The message does not contain it.
 */
export function parseSessionHeader(text: string): SessionHeader {
  const [id = '', ...parameters] = text.split(';').map((part) => part.trim())
  if (id === '' || id.length > MAX_SESSION_ID_LENGTH || CONTROL.test(id)) {
    throw new MalformedError(`identifier of ${id.length} characters in header Session`)
  }
  const [timeout] = parameters.flatMap((parameter) => TIMEOUT.exec(parameter)?.[1] ?? [])
  return timeout === undefined || Number(timeout) === 0 ? { id } : { id, timeoutSeconds: Number(timeout) }
}

/** Writes the header. */
export function serializeSessionHeader({ id, timeoutSeconds }: SessionHeader): string {
  return timeoutSeconds === undefined ? id : `${id};timeout=${timeoutSeconds}`
}
