import type { Socket } from 'node:net'

/** The other end of a connection to open. */
export type DialTarget = {
  /** A name or an address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** Encrypts the connection, and checks the certificate for the host unless `verifyCertificate` is false. */
  readonly tls?: { readonly verifyCertificate: boolean; readonly alpn?: readonly string[] }
  /** Gives up. */
  readonly signal?: AbortSignal
}

/**
 * Opens connections to other servers, for a pull or push or by `ctx.net.dialer`: through its proxy where it has one, and
 * never to an address that `global.pull.deny` names, whatever name or redirect led there.
 */
export interface Dialer {
  /** Connections go through a proxy, so nothing but TCP reaches the target. */
  readonly proxied: boolean
  /**
   * Resolves with a connected socket, after the TLS handshake where there is one.
   * @throws {Error} with the fault, and nothing secret, in its message: the name is unknown, the address is denied, there is
   *   no answer in time, the proxy refuses, the certificate is not trusted
   */
  connect(target: DialTarget): Promise<Socket>
  /**
   * Checks an address before a protocol sends datagrams to it.
   * @throws {Error} when the address may not be reached
   */
  checkAddress(ip: string): void
}
