import type { TcpListener } from 'sluice/sdk'
import { formatAddress } from '../../net/address.ts'

/** A protocol that is not HTTP, by what its clients send first. */
export type ForeignProtocol = 'rtmp' | 'tls'

/** Version of RTMP, which a client says before anything else (RTMP 1.0, 5.2.2). */
const RTMP_VERSION = 3
/** Type of a record with a handshake, and the first byte of its version (RFC 8446, 5.1). */
const TLS_HANDSHAKE = 22
const TLS_MAJOR_VERSION = 3

/** What a client speaks whose first bytes are no request; undefined when that is unknown. */
export function foreignProtocolOf(firstBytes: Buffer): ForeignProtocol | undefined {
  if (firstBytes[0] === RTMP_VERSION) return 'rtmp'
  if (firstBytes[0] === TLS_HANDSHAKE && firstBytes[1] === TLS_MAJOR_VERSION) return 'tls'
  return undefined
}

/**
 * Says where a client finds the protocol that it speaks on a port of plain HTTP.
 * @param http the addresses of HTTP and HTTPS
 * @param rtmp those of RTMP and RTMPS
 */
export function explainForeign(
  protocol: ForeignProtocol,
  http: TcpListener['addresses'],
  rtmp: TcpListener['addresses'] = [],
): string {
  const [name, place] =
    protocol === 'rtmp' ? ['RTMP', rtmp.find(({ tls }) => !tls)] : ['TLS', http.find(({ tls }) => tls)]
  const where = place === undefined ? 'no port takes it' : `it is taken at ${formatAddress(place.host, place.port)}`
  return `${name} on a port of plain HTTP; ${where}`
}
