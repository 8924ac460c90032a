import type { IncomingMessage, ServerResponse } from 'node:http'
import { NEW_TOKEN_HEADERS } from './guard.ts'

/** Response headers that say what pages of other origins may do. */
export type CorsPolicy = {
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Whether the origin that asks is named, as browsers demand where they send cookies and credentials. */
  readonly namesOrigin: boolean
}

/** Headers that pages of other origins may send: to say who they are, and to ask for parts and for changes (RFC 9110, 13 and 14). */
const SENT_HEADERS = [
  'Content-Type',
  'Access-Token',
  'Authorization',
  'Range',
  'If-Range',
  'If-Match',
  'If-None-Match',
  'If-Modified-Since',
  'If-Unmodified-Since',
  'Cache-Control',
  'Pragma',
].join(', ')

/**
 * Headers of answers that such pages may read: the part that an answer brings, the size and name of the whole, its state and date, by which
 * players set their clocks, and the address and time to ask next.
 */
const SHOWN_HEADERS = [
  'Accept-Ranges',
  'Age',
  'Content-Disposition',
  'Content-Length',
  'Content-Range',
  'Date',
  'ETag',
  'Last-Modified',
  'Location',
  'Retry-After',
  'X-Request-Id',
]

/** Media: pages of any origin play and publish it, with credentials too. */
export const MEDIA_CORS: CorsPolicy = {
  namesOrigin: true,
  headers: Object.entries({
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': SENT_HEADERS,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-private-network': 'true',
    // With the servers that a session of WHIP or WHEP may use (RFC 9725, 4.6).
    'access-control-expose-headers': [...SHOWN_HEADERS, 'Link'].join(', '),
    'cross-origin-resource-policy': 'cross-origin',
    // The answer differs by origin, so a shared cache must keep it apart.
    vary: 'Origin',
  }),
}

/**
 * Everything else: pages of other origins read what anybody may read, and browsers send no credentials with it by
 * themselves. Pages that have the token of a login may send that, and see the one that follows it.
 */
export const READING_CORS: CorsPolicy = {
  namesOrigin: false,
  headers: Object.entries({
    'access-control-allow-headers': SENT_HEADERS,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-expose-headers': [...SHOWN_HEADERS, ...NEW_TOKEN_HEADERS].join(', '),
    'cross-origin-resource-policy': 'cross-origin',
  }),
}

/** Sets the headers on the raw response before any handler runs, so that replies a plugin hijacks carry them, too. */
export function setCorsHeaders(policy: CorsPolicy, request: IncomingMessage, response: ServerResponse): void {
  const origin = policy.namesOrigin ? (request.headers.origin ?? '*') : '*'
  response.setHeader('access-control-allow-origin', origin)
  for (const [name, value] of policy.headers) response.setHeader(name, value)
}

/** Whether a browser asks what it may send, before it sends it. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}
