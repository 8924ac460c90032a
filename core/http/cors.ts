import type { IncomingMessage, ServerResponse } from 'node:http'
import { NEW_TOKEN_HEADERS } from './guard.ts'

/** Response headers that say what pages of other origins may do. */
export type CorsPolicy = {
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Whether the origin that asks is named, as browsers demand where they send cookies and credentials. */
  readonly namesOrigin: boolean
}

/** Media: pages of any origin play and publish it, with credentials too. */
export const MEDIA_CORS: CorsPolicy = {
  namesOrigin: true,
  headers: Object.entries({
    'access-control-allow-credentials': 'true',
    'access-control-allow-headers': 'Content-Type, Access-Token, Authorization, If-Match',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-private-network': 'true',
    // Where a session of WHIP or WHEP is, which servers it may use, its state, and when to try again (RFC 9725, 4.2 to 4.6).
    'access-control-expose-headers': 'Location, Link, ETag, Retry-After',
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
    'access-control-allow-headers': 'Content-Type, Access-Token, Authorization',
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-expose-headers': NEW_TOKEN_HEADERS.join(', '),
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
