import { isIPv4, isIPv6 } from 'node:net'

/** A listening address. */
export type ListenAddress = {
  /** IPv4 or IPv6 address without brackets; undefined for all addresses of both. */
  readonly host: string | undefined
  /** 0 lets the system choose. */
  readonly port: number
}

const ADDRESS = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/
const MAX_PORT = 65_535

/** Parses `:port`, `ip:port` and `[ipv6]:port`; undefined for anything else. */
export function parseAddress(text: string): ListenAddress | undefined {
  const match = ADDRESS.exec(text)
  if (match === null) return undefined
  const [, ipv6, ipv4 = '', digits] = match
  const port = Number(digits)
  if (port > MAX_PORT) return undefined
  if (ipv6 !== undefined) return isIPv6(ipv6) ? { host: ipv6, port } : undefined
  if (ipv4 === '') return { host: undefined, port }
  return isIPv4(ipv4) ? { host: ipv4, port } : undefined
}
