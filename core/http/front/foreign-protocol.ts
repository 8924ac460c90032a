import type { TcpListener } from 'sluice/sdk'
import { formatAddress } from '../../net/address.ts'

/** A protocol that is not HTTP, from the definition of its plugin, with the addresses that take it. */
export type ForeignProtocol = {
  readonly name: string
  /** The first byte that its clients send. */
  readonly firstByte: number
  readonly addresses: TcpListener['addresses']
}

/** The type of a record with a handshake, and the first byte of its version (RFC 8446, 5.1). */
const TLS_HANDSHAKE = 22
const TLS_MAJOR_VERSION = 3

/**
 * Explains where a client on a port of plain HTTP finds the protocol that it speaks; undefined when that is unknown.
 * @param firstBytes the first bytes of the client, which are no request
 * @param http the addresses of HTTP and HTTPS
 */
export function explainForeign(
  firstBytes: Buffer,
  http: TcpListener['addresses'],
  protocols: readonly ForeignProtocol[],
): string | undefined {
  const protocol = protocols.find(({ firstByte }) => firstByte === firstBytes[0])
  if (protocol !== undefined) {
    const { name, addresses } = protocol
    return explained(
      name.toUpperCase(),
      addresses.find(({ tls }) => !tls),
    )
  }
  const isTls = firstBytes[0] === TLS_HANDSHAKE && firstBytes[1] === TLS_MAJOR_VERSION
  return isTls
    ? explained(
        'TLS',
        http.find(({ tls }) => tls),
      )
    : undefined
}

function explained(name: string, place: TcpListener['addresses'][number] | undefined): string {
  const where = place === undefined ? 'no port takes it' : `it is taken at ${formatAddress(place.host, place.port)}`
  return `${name} on a port of plain HTTP; ${where}`
}
