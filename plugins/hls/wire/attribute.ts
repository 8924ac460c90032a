/** A URI on a line of its own: no white space, control or quote, and not the mark of a tag or comment at its start. */
const URI = /^[^#"\s\u0000-\u001f\u007f-\u009f][^"\s\u0000-\u001f\u007f-\u009f]*$/
/** The line breaks of Unicode too, as some readers split at them. */
const UNQUOTABLE = /["\u0000-\u001f\u007f-\u009f\u2028\u2029]/

/** Past it, numbers would be written with an exponent or lose the places. */
const MAX_DECIMAL = 1e9

/** A URI as its own line, or within quotes. @throws RangeError if it could end the line or the quotes. */
export function checkedUri(uri: string): string {
  if (!URI.test(uri)) throw new RangeError(`HLS: ${JSON.stringify(uri)} is no URI of a playlist`)
  return uri
}

/** A quoted-string (RFC 8216bis 4.2). @throws RangeError if the text has a quote, a line break or a control character. */
export function quoted(text: string): string {
  if (UNQUOTABLE.test(text)) throw new RangeError(`HLS: ${JSON.stringify(text)} can't be quoted`)
  return `"${text}"`
}

/** A decimal-integer. @throws RangeError if it is negative, no integer or past 2^53. */
export function integer(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`HLS: ${value} is no decimal integer`)
  return String(value)
}

/** A decimal-floating-point of at most `places` decimal places. @throws RangeError if it is negative or too large */
export function decimal(value: number, places = 6): string {
  if (!(value >= 0 && value <= MAX_DECIMAL)) throw new RangeError(`HLS: ${value} is no decimal number`)
  // Through a number again, to lose zeros at the end.
  return String(Number(value.toFixed(places)))
}

/**
 * Reads an attribute list (RFC 8216bis 4.2) by name, strings without their quotes; malformed attributes are ignored. The last of equal
 * names counts.
 */
export function parseAttributes(text: string): ReadonlyMap<string, string> {
  // Names are bounded, so that a long line without values takes no longer than it is long.
  const pairs = text.matchAll(/([A-Z0-9-]{1,64})\s{0,8}=\s{0,8}(?:"([^"]*)"|([^",]*))/gu)
  return new Map([...pairs].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain.trim()]))
}
