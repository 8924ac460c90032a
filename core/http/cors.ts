import type { IncomingMessage, ServerResponse } from 'node:http'

const HEADERS = Object.entries({
  'access-control-allow-credentials': 'true',
  'access-control-allow-headers': 'Content-Type, Access-Token, Authorization',
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, OPTIONS',
  'access-control-allow-private-network': 'true',
  'cross-origin-resource-policy': 'cross-origin',
  // The answer differs by origin, so a shared cache must keep it apart.
  vary: 'Origin',
})

/**
 * Sets the headers on the raw response before any handler runs, so that replies a plugin hijacks and errors carry them,
 * too. The origin is echoed, or `*` when there is none.
 */
export function setCorsHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*')
  for (const [name, value] of HEADERS) response.setHeader(name, value)
}

/** Whether a browser asks what it may send, before it sends it. */
export function isPreflight(request: IncomingMessage): boolean {
  return request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined
}
