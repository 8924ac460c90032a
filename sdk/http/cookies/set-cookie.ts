import { parseCookieDate } from './cookie-date.ts'

/** A header `Set-Cookie` (RFC 6265 5.2). */
export type SetCookie = {
  readonly name: string
  /** The value as the server sent it, quotes included. */
  readonly value: string
  /** The expiry in ms since 1970; undefined for a cookie that lasts as long as the client. */
  readonly expiresMs: number | undefined
  /** The domain in lower case, without a leading dot; undefined where the server gives none. */
  readonly domain: string | undefined
  /** Begins with `/`; undefined where the default counts. */
  readonly path: string | undefined
  readonly secure: boolean
}

/** Name and value of a cookie that is kept may have so many bytes together (RFC 6265 6.1). */
const MAX_COOKIE_BYTES = 4096
const CONTROL = /[\0-\x08\n-\x1f\x7f]/u
const SECONDS = /^-?\d+$/u

/** Parses a header `Set-Cookie`; undefined for what sets no cookie, or one that is too long. */
export function parseSetCookie(text: string, nowMs: number): SetCookie | undefined {
  const [pair = '', ...parts] = text.split(';')
  const { name, value } = pairOf(pair)
  if (!pair.includes('=') || name === '' || name.length + value.length > MAX_COOKIE_BYTES || CONTROL.test(pair)) {
    return undefined
  }
  const attributes = new Map(parts.map(pairOf).map((part) => [part.name.toLowerCase(), part.value]))
  const domain = attributes.get('domain') ?? ''
  const path = attributes.get('path') ?? ''
  return {
    name,
    value,
    expiresMs: expiryOf(attributes, nowMs),
    domain: domain === '' ? undefined : domain.replace(/^\./u, '').toLowerCase(),
    path: path.startsWith('/') ? path : undefined,
    secure: attributes.has('secure'),
  }
}

/** `Max-Age` counts before `Expires`. */
function expiryOf(attributes: ReadonlyMap<string, string>, nowMs: number): number | undefined {
  const maxAge = attributes.get('max-age') ?? ''
  if (!SECONDS.test(maxAge)) return parseCookieDate(attributes.get('expires') ?? '')
  return nowMs + Number(maxAge) * 1000
}

function pairOf(text: string): { readonly name: string; readonly value: string } {
  const end = text.indexOf('=')
  if (end < 0) return { name: text.trim(), value: '' }
  return { name: text.slice(0, end).trim(), value: text.slice(end + 1).trim() }
}
