import { DialError } from './dial-error.ts'

/** A proxy, and the user to log in as. */
export type ProxyServer = {
  readonly kind: 'http' | 'https' | 'socks5'
  /** The host; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** The user information of the URL; undefined where it has none. */
  readonly user: { readonly name: string; readonly password: string } | undefined
}

/** The longest name and password of SOCKS (RFC 1929 2). */
const MAX_USER_BYTES = 255
const SCHEMES: Readonly<Record<string, Pick<ProxyServer, 'kind' | 'port'>>> = {
  'http:': { kind: 'http', port: 80 },
  'https:': { kind: 'https', port: 443 },
  'socks5:': { kind: 'socks5', port: 1080 },
  'socks5h:': { kind: 'socks5', port: 1080 },
}

/**
 * Parses the URL of a proxy: `http`, `https`, `socks5` or `socks5h`, with or without user information and port.
 * @throws {DialError} with a message that names the error, without the URL
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

/** True when {@link parseProxyUrl} accepts a text. */
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
    // The runtime's own message may contain the text.
    throw new DialError('name and password of the proxy are not percent-encoded rightly')
  }
}
