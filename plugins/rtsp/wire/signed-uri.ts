import { parseStreamTarget } from './url.ts'

/**
 * True when a URI that a client has signed (RFC 7616 3.4.6) belongs to its request. Clients sign the URL of the request, of the whole
 * stream, or its path alone.
 */
export function isSameStream(signed: string, requested: string): boolean {
  if (signed === requested) return true
  try {
    return parseStreamTarget(signed, '').streamPath === parseStreamTarget(requested, '').streamPath
  } catch {
    return false
  }
}
