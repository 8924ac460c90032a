import type { IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { sessionClient, type SessionClient } from '../stream/session-request.ts'

/**
 * A request as the host hands it to a plugin: `url` has lost the plugin's mount. What the host adds is missing on any
 * other server, so read it by `requestUrl` and `requestClient`.
 */
export interface RoutedRequest extends IncomingMessage {
  /** Path and query as the client sent them; for fastify handlers it is `request.originalUrl`, too. */
  originalUrl?: string
}

/** The full URL that a client asked for, with its query: what gates bind to and control servers are told. */
export function requestUrl(request: RoutedRequest): string {
  const target = request.originalUrl ?? request.url ?? '/'
  const scheme = 'encrypted' in request.socket ? 'https' : 'http'
  return `${scheme}://${request.headers.host ?? 'localhost'}${target}`
}

/** The client that sent a request, with its `User-Agent`. */
export function requestClient(request: RoutedRequest): SessionClient {
  return sessionClient(request.socket, request.headers['user-agent'])
}

/**
 * The stream that carries a request and its answer: the connection itself over HTTP/1 and for WebSockets, the request's
 * own stream of its connection over HTTP/2. When it closes, the client has left.
 */
export function carrierOf(request: IncomingMessage): Duplex {
  const stream: unknown = request.httpVersionMajor === 2 ? Reflect.get(request, 'stream') : undefined
  return stream instanceof Duplex ? stream : request.socket
}

/**
 * Undoes the percent-encoding of one part of a path, between two slashes: stream paths are text. A part that is not well
 * encoded stays as it is; a stray percent sign stands for itself.
 */
export function decodePathPart(part: string): string {
  if (!part.includes('%')) return part
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
