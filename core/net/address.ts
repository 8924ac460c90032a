import { isIP } from 'node:net'

/** An address to listen on; `host` is null for all addresses of the machine, IPv4 and IPv6. */
export type ListenAddress = { readonly host: string | null; readonly port: number }

const ADDRESS = /^(?:\[(?<v6>[^\]]*)\]|(?<v4>[^:]*)):(?<port>\d{1,5})$/
const MAX_PORT = 65_535

/**
 * Reads `:port`, `ip:port` or `[ipv6]:port`; port 0 lets the system choose one.
 * @throws {TypeError} with a message that names the error in the text
 */
export function parseListenAddress(text: string): ListenAddress {
  const groups = ADDRESS.exec(text)?.groups
  if (!groups) throw new TypeError(`'${text}' is not an address; write :port, ip:port or [ipv6]:port`)
  const port = Number(groups['port'])
  if (port > MAX_PORT) throw new TypeError(`port ${port} of '${text}' is above ${MAX_PORT}`)
  const { v4, v6 } = groups
  if (v4 === '') return { host: null, port }
  const host = v4 ?? v6 ?? ''
  if (isIP(host) !== (v4 === undefined ? 6 : 4)) throw new TypeError(`'${host}' of '${text}' is not an IP address`)
  return { host, port }
}

export function isListenAddress(text: string): boolean {
  try {
    parseListenAddress(text)
    return true
  } catch {
    return false
  }
}

/** The text form of a bound address: `:port` for `::`, which is all addresses. */
export function formatAddress(host: string, port: number): string {
  if (host === '::') return `:${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
