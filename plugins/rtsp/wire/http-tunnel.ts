import { MalformedError } from 'sluice/sdk/media'
import type { RtspRequest } from './message/message.ts'

// RTSP over HTTP, as introduced by QuickTime: the server's data come as the answer to a GET, the client's as the body of a POST.
const TUNNEL_CONTENT_TYPE = 'application/x-rtsp-tunnelled'

/** Clients make up 16 to some 40 characters. */
export const MAX_SESSION_COOKIE_LENGTH = 128

/** The length that a POST announces; its body goes on for as long as the client likes. */
const POST_CONTENT_LENGTH = 32_767

const COOKIE = /^[\u0021-\u007e]+$/u
const CONTROL_OR_BLANK = /[\u0000-\u0020\u007f]/u

/** The head of one half of a tunnel. */
export type TunnelRequest = {
  /** `get` opens the way down, `post` the way up, with base64 after its head. */
  readonly direction: 'get' | 'post'
  /** The same in both halves, and made up by the client. */
  readonly sessionCookie: string
  /** Path and query as sent, or a whole URL. */
  readonly path: string
}

const DIRECTIONS: Readonly<Record<string, TunnelRequest['direction']>> = { GET: 'get', POST: 'post' }

/**
 * Parses the head of an HTTP request as one half of a tunnel; `null` when it has no part in one.
 * @throws {MalformedError} when its cookie is too long or broken
 */
export function parseTunnelRequest(request: RtspRequest): TunnelRequest | null {
  const { protocol, uri, headers } = request
  const sessionCookie = headers.get('x-sessioncookie')
  const direction = DIRECTIONS[request.method.toUpperCase()]
  if (protocol !== 'HTTP' || direction === undefined || sessionCookie === undefined) return null
  if (sessionCookie.length > MAX_SESSION_COOKIE_LENGTH || !COOKIE.test(sessionCookie)) {
    throw new MalformedError(`x-sessioncookie of ${sessionCookie.length} characters`)
  }
  return { direction, sessionCookie, path: uri }
}

/**
 * Writes the head of one half.
 * @param host the server's host with its port
 * @throws {MalformedError} when a part cannot stand in its line
 */
export function serializeTunnelRequest({ direction, sessionCookie, path }: TunnelRequest, host: string): Buffer {
  if ([path, sessionCookie, host].some((text) => CONTROL_OR_BLANK.test(text))) {
    throw new MalformedError('white space or a control character in what opens a tunnel')
  }
  const lines = [
    `${direction.toUpperCase()} ${path} HTTP/1.0`,
    `Host: ${host}`,
    `x-sessioncookie: ${sessionCookie}`,
    direction === 'get' ? `Accept: ${TUNNEL_CONTENT_TYPE}` : `Content-Type: ${TUNNEL_CONTENT_TYPE}`,
    'Pragma: no-cache',
    'Cache-Control: no-cache',
  ]
  if (direction === 'post') {
    lines.push(`Content-Length: ${POST_CONTENT_LENGTH}`, 'Expires: Sun, 9 Jan 1972 00:00:00 GMT')
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}

/** The head of the answer to a GET; a POST is never answered. */
export function serializeTunnelAnswer(): Buffer {
  const lines = [
    'HTTP/1.0 200 OK',
    'Connection: close',
    'Cache-Control: no-store',
    'Pragma: no-cache',
    `Content-Type: ${TUNNEL_CONTENT_TYPE}`,
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
}
