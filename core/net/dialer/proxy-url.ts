import { DialError } from './dial-error.ts'

/** A proxy, and who it is to know. */
export type ProxyServer = {
  readonly kind: 'http' | 'https' | 'socks5'
  /** IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** Undefined where the address names nobody. */
  readonly user: { readonly name: string; readonly password: string } | undefined
}

/** What SOCKS has room for (RFC 1929 2). */
const MAX_USER_BYTES = 255
const SCHEMES: Readonly<Record<string, Pick<ProxyServer, 'kind' | 'port'>>> = {
  'http:': { kind: 'http', port: 80 },
  'https:': { kind: 'https', port: 443 },
  'socks5:': { kind: 'socks5', port: 1080 },
  'socks5h:': { kind: 'socks5', port: 1080 },
}

/**
 * Reads the address of a proxy: `http`, `https`, `socks5` or `socks5h`, with or without user information and port.
 * @throws {DialError} that says what is wrong, without the address
 */
export function parseProxyUrl(text: string): ProxyServer {
  const url = URL.parse(text)
  const scheme = url === null ? undefined : SCHEMES[url.protocol]
  if (url === null || scheme === undefined || url.hostname === '' || url.port === '0') {
    throw new DialError('the proxy has no address such as http://host:8080 or socks5://host:1080')
  }
  const host = url.hostname.replace(/^\[(.*)\]$/u, '$1')
  return { kind: scheme.kind, host, port: Number(url.port) || scheme.port, user: userOf(url) }
}

/** Whether a text is an address that {@link parseProxyUrl} takes. */
export function isProxyUrl(text: string): boolean {
  try {
    parseProxyUrl(text)
    return true
  } catch {
    return false
  }
}

function userOf({ username, password }: URL): ProxyServer['user'] {
  if (username === '' && password === '') return undefined
  const user = { name: decoded(username), password: decoded(password) }
  const isLong = Object.values(user).some((text) => Buffer.byteLength(text) > MAX_USER_BYTES)
  if (isLong) throw new DialError(`name and password of a proxy have at most ${MAX_USER_BYTES} bytes each`)
  return user
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The runtime's own message may show the text.
    throw new DialError('name and password of the proxy are not percent-encoded rightly')
  }
}
