import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { DialTarget } from 'sluice/sdk'
import { DialError } from './dial-error.ts'

/**
 * The time after which the next address of a host is tried; it is enough for one retransmission. The runtime's default of
 * 500 ms is less than distant servers may need.
 */
const ADDRESS_TIMEOUT_MS = 2000

const ignore = () => {}

type TcpTarget = {
  readonly host: string
  /** The addresses of the host, best first; they are tried one after the other. */
  readonly addresses: readonly LookupAddress[]
  readonly port: number
  readonly signal: AbortSignal
}

/**
 * Connects to the first of some addresses that answers, without another look-up of the name.
 * @throws the system's errors for all of them, or the signal's reason; no socket stays open then
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
 * @param host the host that the certificate must be valid for
 * @throws {DialError} when the certificate is not trusted, or the other end does not speak TLS; else the error of the system
 * or of the signal. No socket stays open then.
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

/** Destroys a socket that has no listeners any more. */
export function discard(socket: Socket): void {
  socket.on('error', ignore).destroy()
}

function tlsError(error: unknown, { authorizationError }: TLSSocket): unknown {
  if (!(error instanceof Error)) return error
  // The runtime sets it to null until the handshake. Its message about a wrong name would repeat the certificate's names.
  if (authorizationError) {
    const isOther = 'code' in error && error.code === 'ERR_TLS_CERT_ALTNAME_INVALID'
    return new DialError(`its certificate is not trusted: ${isOther ? 'it is for another name' : error.message}`)
  }
  if ('reason' in error && typeof error.reason === 'string') return new DialError(`TLS failed: ${error.reason}`)
  return error
}
