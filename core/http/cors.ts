import type { IncomingMessage, ServerResponse } from 'node:http'
import { NEW_TOKEN_HEADERS } from './guard.ts'

/** The response headers that grant rights to pages of other origins. */
export type CorsPolicy = {
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** True where the answer names the origin that asks, as browsers demand where they send cookies and credentials. */
  readonly namesOrigin: boolean
}

/** The headers that pages of other origins may send: credentials, and those for ranges and conditions (RFC 9110, 13 and 14). */
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
 * The headers of answers that such pages may read: the range of an answer, the size and name of the whole, its state and
 * date, by which players set their clocks, and the address and time of the next request.
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

/** The policy for media: pages of any origin play and publish it, with credentials too. */
export const MEDIA_CORS: CorsPolicy = {
  namesOrigin: true,
  headers: Object.entries({
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': SENT_HEADERS,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-private-network': 'true',
    // `Link` names the servers that a session of WHIP or WHEP may use (RFC 9725, 4.6).
    'access-control-expose-headers': [...SHOWN_HEADERS, 'Link'].join(', '),
    'cross-origin-resource-policy': 'cross-origin',
    // The answer differs by origin, so a shared cache must keep it apart.
    vary: 'Origin',
  }),
}

/**
 * The policy for everything else: pages of other origins may read public answers, and browsers send no credentials with their
 * requests by themselves. Pages that have the token of a login may send it, and read the one that follows it.
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

/** Sets the headers on the raw response before any handler runs, so that replies that a plugin hijacks carry them, too. */
export function setCorsHeaders(policy: CorsPolicy, request: IncomingMessage, response: ServerResponse): void {
  const origin = policy.namesOrigin ? (request.headers.origin ?? '*') : '*'
  response.setHeader('access-control-allow-origin', origin)
  for (const [name, value] of policy.headers) response.setHeader(name, value)
}

/** True for a request by which a browser asks for permission before the actual one. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}
