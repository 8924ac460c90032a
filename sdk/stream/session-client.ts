import type { Socket } from 'node:net'
import type { SessionClient } from './session-request.ts'

/** The peer of a socket; an IPv4 address mapped into IPv6 is given as IPv4. */
export function sessionClient(socket: Socket, userAgent = ''): SessionClient {
  const ip = socket.remoteAddress ?? ''
  return { ip: ip.startsWith('::ffff:') ? ip.slice(7) : ip, port: socket.remotePort ?? 0, userAgent }
}
