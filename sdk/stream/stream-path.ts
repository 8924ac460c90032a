import { InvalidRequest } from '../errors/stream-errors.ts'

/** Longest stream path, in UTF-16 code units. */
export const MAX_STREAM_PATH_LENGTH = 512
/** Most `/`-separated parts of a stream path. */
export const MAX_STREAM_PATH_PARTS = 16

const FORBIDDEN = /[\u0000-\u001f\u007f\\?#*]/u

/**
 * Checks a stream path and gives it back without leading and trailing slashes.
 * @throws {InvalidRequest} when it is empty, too long, or has empty, `.` or `..` parts, control characters, `\`, `?`, `#` or `*`
 */
export function checkStreamPath(requested: string): string {
  if (requested.length > MAX_STREAM_PATH_LENGTH) throw new InvalidRequest('the stream path is too long')
  const path = requested.replace(/^\/+|\/+$/gu, '')
  if (path === '') throw new InvalidRequest('the stream path is empty')
  if (FORBIDDEN.test(path)) throw new InvalidRequest('the stream path has a character that is not allowed')
  const parts = path.split('/')
  if (parts.length > MAX_STREAM_PATH_PARTS) throw new InvalidRequest('the stream path has too many parts')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw new InvalidRequest('the stream path has an empty, "." or ".." part')
  }
  return path
}

/** Returns true when a text is a stream path in the form that {@link checkStreamPath} returns. */
export function isStreamPath(text: string): boolean {
  try {
    return checkStreamPath(text) === text
  } catch {
    return false
  }
}

/** Parses a raw query; of a repeated name the first value counts. */
export function parseQuery(query: string): Readonly<Record<string, string>> {
  const params: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) params[name] ??= value
  return params
}
