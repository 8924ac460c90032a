import type { IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import { sessionClient, type SessionClient } from '../stream/session-request.ts'

/**
 * A request as the host hands it to a plugin: `url` has lost the plugin's mount. On any other server the fields below are
 * missing, so read them by `requestUrl` and `requestClient`.
 */
export interface RoutedRequest extends IncomingMessage {
  /** Path and query as the client sent them; for fastify handlers it is `request.originalUrl`, too. */
  originalUrl?: string
  /** Names the request in the log and in the answer's `X-Request-Id`; the client's own where that has a plain one. */
  id?: string
  /** The trusted proxy's account of the request; missing where no such proxy passed it on. */
  forwarded?: ForwardedRequest
  /** True when the address that the request came to answers administration (`/api/…`), for users with access. */
  administered?: boolean
  /** The user that the administration's guard has found; missing where the guard was not asked. */
  user?: string
}

/** The client of a request that a proxy of `http.trustproxy` passed on, as that proxy describes it. */
export type ForwardedRequest = {
  /** Address of the client that the outermost trusted proxy was asked by. */
  readonly ip: string
  /** The client's port; 0 when the proxy does not state it. */
  readonly port: number
  /** The scheme of the client's request to the proxy; missing when the proxy does not state it. */
  readonly scheme?: 'http' | 'https'
  /** The name and port that the client asked for; missing when the proxy does not state them. */
  readonly host?: string
}

/**
 * Returns the full URL that a client asked for, with its query, as control servers receive it. Scheme and host are the
 * trusted proxy's where one passed the request on.
 */
export function requestUrl(request: RoutedRequest): string {
  const target = request.originalUrl ?? request.url ?? '/'
  const scheme = request.forwarded?.scheme ?? ('encrypted' in request.socket ? 'https' : 'http')
  return `${scheme}://${request.forwarded?.host ?? request.headers.host ?? 'localhost'}${target}`
}

/** Returns the client that sent a request, with its `User-Agent`: the peer of the connection, or the client that a trusted proxy names. */
export function requestClient({ socket, headers, forwarded }: RoutedRequest): SessionClient {
  const client = sessionClient(socket, headers['user-agent'])
  return forwarded === undefined ? client : { ...client, ip: forwarded.ip, port: forwarded.port }
}

/**
 * The stream that carries a request and its answer: the connection itself over HTTP/1 and for WebSockets, the request's
 * own stream of its connection over HTTP/2. When it closes, the client has left.
 */
export function carrierOf(request: IncomingMessage): Duplex {
  const stream: unknown = request.httpVersionMajor === 2 ? Reflect.get(request, 'stream') : undefined
  return stream instanceof Duplex ? stream : request.socket
}

/** Returns true when a browser opens the address, in place of a program, a script or a style that asks for data or a file. */
export function isNavigation({ headers }: IncomingMessage): boolean {
  return headers.accept?.includes('text/html') ?? false
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
