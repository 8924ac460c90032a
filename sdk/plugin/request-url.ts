import type { IncomingMessage } from 'node:http'

/** Where the host keeps the path and query as the client sent them, when it strips a plugin's prefix from `url`. */
export const ORIGINAL_URL = Symbol.for('sluice.originalUrl')

/** The full URL that a client asked for, with its query: what gates bind to and control servers are told. */
export function requestUrl(request: IncomingMessage): string {
  const original: unknown = Reflect.get(request, ORIGINAL_URL)
  const target = typeof original === 'string' ? original : (request.url ?? '/')
  const scheme = 'encrypted' in request.socket ? 'https' : 'http'
  return `${scheme}://${request.headers.host ?? 'localhost'}${target}`
}
