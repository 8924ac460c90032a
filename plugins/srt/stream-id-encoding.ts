const ESCAPES = /(?:%[0-9a-f]{2})+/giu
/** A short form with an escaped colon, or with an escaped slash or question mark in its path. */
const SHORT_ESCAPED = /^[a-z]+(?:%3a|:[^?]*%(?:2f|3f))/iu
/** The beginning of the standard form, also with escapes. */
const STANDARD_PREFIX = /^(?:#|%23)(?:!|%21)(?::|%3a){2}/iu
const STANDARD_PLAIN = /^(?:#|%23)!::/iu
/** An escaped delimiter of the standard form, before a query. */
const ESCAPED_DELIMITER = /^[^?]*%(?:2c|2f|3a|3d|3f)/iu
/** The keys of the standard form that this server reads itself; it leaves the values of others alone. */
const READ_KEY = /^[rmt]=/u

/**
 * The stream id without percent-encoding: it is decoded once when it was encoded as a whole, as builders of URLs do, and tools pass on.
 * A stream id is no URL, so it counts as encoded only where one of its own delimiters is an escape (`publish%3A…`, `/live%2Fa`,
 * `/live/a%3Fsecret…`, `r%3D…`). Any other stays as it is, and so does a `%` in a name, or one that begins no escape.
 */
export function plainStreamId(streamId: string): string {
  return isEncoded(streamId) ? decodeOnce(streamId) : streamId
}

/** The query without percent-encoding of the whole; its values stay encoded. */
export function plainQuery(query: string): string {
  if (!/[=&]/u.test(query)) return decodeOnce(query)
  // `&` ends a stream id in an address: ffmpeg 5 and OBS need `%26` for it, and send that unchanged.
  return query.includes('&') ? query : query.replaceAll('%26', '&')
}

function isEncoded(streamId: string): boolean {
  const [prefix] = STANDARD_PREFIX.exec(streamId) ?? []
  if (prefix === undefined) return SHORT_ESCAPED.test(streamId)
  if (!STANDARD_PLAIN.test(prefix)) return true
  const keys = streamId.slice(prefix.length).split(',')
  const isMade = (key: string) => key.includes('=') || !/%3d/iu.test(key)
  return !keys.every(isMade) || keys.some((key) => READ_KEY.test(key) && ESCAPED_DELIMITER.test(key))
}

/** Decodes escapes that are UTF-8, and leaves every other `%`. */
function decodeOnce(text: string): string {
  return text.replace(ESCAPES, (escapes) => {
    try {
      return decodeURIComponent(escapes)
    } catch {
      return escapes
    }
  })
}
