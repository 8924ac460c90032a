import type { IncomingMessage } from 'node:http'

/** The full URL that a client asked for, with its query: what gates bind to and control servers are told. */
export function requestUrl(request: IncomingMessage): string {
  // The host strips a plugin's prefix from `url`, and keeps what the client sent beside it.
  const original: unknown = Reflect.get(request, 'originalUrl')
  const target = typeof original === 'string' ? original : (request.url ?? '/')
  const scheme = 'encrypted' in request.socket ? 'https' : 'http'
  return `${scheme}://${request.headers.host ?? 'localhost'}${target}`
}
