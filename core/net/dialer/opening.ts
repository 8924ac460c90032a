import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { DialTarget } from 'sluice/sdk'
import { DialError } from './dial-error.ts'

/**
 * The next address of a host is tried when one has not answered in this time, in which a lost packet is sent again. The runtime's
 * own half a second is less than servers far away may take.
 */
const ADDRESS_TIMEOUT_MS = 2000

const ignore = () => {}

type TcpTarget = {
  readonly host: string
  /** Those of the host, best first; they are tried one after the other. */
  readonly addresses: readonly LookupAddress[]
  readonly port: number
  readonly signal: AbortSignal
}

/**
 * Connects to the first of some addresses that answers; the name is not looked up again.
 * @throws what the system says of all of them, or the signal; no socket is left then
 */
export async function openTcp({ host, addresses, port, signal }: TcpTarget): Promise<Socket> {
  const socket = connectTcp({
    host,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    lookup: (_host, _options, done) => done(null, [...addresses]),
  })
  try {
    await once(socket, 'connect', { signal })
    return socket
  } catch (error) {
    discard(socket)
    throw error
  }
}

/**
 * Encrypts a connection.
 * @param host that the certificate is to be for
 * @throws {DialError} when the certificate is not to be trusted, or the other end speaks no TLS; what the system or the signal
 * says otherwise. No socket is left then.
 */
export async function openTls(
  socket: Socket,
  host: string,
  { verifyCertificate, alpn }: NonNullable<DialTarget['tls']>,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const secure = connectTls({
    socket,
    host,
    rejectUnauthorized: verifyCertificate,
    ...(isIP(host) === 0 && { servername: host }),
    ...(alpn && { ALPNProtocols: [...alpn] }),
  })
  try {
    await once(secure, 'secureConnect', { signal })
    return secure
  } catch (error) {
    discard(secure)
    discard(socket)
    throw tlsError(error, secure)
  }
}

/** Ends a socket that nobody listens to any more. */
export function discard(socket: Socket): void {
  socket.on('error', ignore).destroy()
}

function tlsError(error: unknown, { authorizationError }: TLSSocket): unknown {
  if (!(error instanceof Error)) return error
  // The runtime sets it to null before there is one. What it says of names repeats the certificate.
  if (authorizationError) {
    const isOther = 'code' in error && error.code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    return new DialError(`its certificate is not trusted: ${isOther ? 'it is for another name' : error.message}`)
  }
  if ('reason' in error && typeof error.reason === 'string') return new DialError(`TLS failed: ${error.reason}`)
  return error
}
