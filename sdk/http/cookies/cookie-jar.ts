import { isIP } from 'node:net'
import { parseSetCookie } from './set-cookie.ts'

type Cookie = {
  readonly name: string
  readonly value: string
  readonly expiresMs: number
  readonly domain: string
  /** Goes to the host that has set it, and not to those below. */
  readonly hostOnly: boolean
  readonly path: string
  readonly secure: boolean
}

/** A jar with more cookies forgets the cookie that was not sent for longest. */
const MAX_COOKIES = 100
const SECURE_SCHEMES = ['https:', 'wss:']

/** The cookies of one client (RFC 6265 5.3 and 5.4). */
export class CookieJar {
  readonly #now: () => number
  /** The cookies by name, domain and path; the least recently used first. */
  readonly #cookies = new Map<string, Cookie>()

  /** @param now the time in ms since 1970 */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Takes the values of all headers `Set-Cookie` of an answer. */
  take(url: URL, setCookies: readonly string[]): void {
    for (const text of setCookies) this.#take(url, text)
  }

  /**
   * The value of `Cookie` for a request; undefined where there is none.
   * @param given cookies to send beside those that were set, as far as none of the same name was
   */
  cookieFor(url: URL, given = ''): string | undefined {
    const cookies = this.#matching(url)
    const names = new Set(cookies.map(({ name }) => name))
    const others = given.split(';').map((pair) => pair.trim())
    const kept = others.filter((pair) => pair !== '' && !names.has(pair.split('=', 1)[0]?.trim() ?? ''))
    const pairs = [...kept, ...cookies.map(({ name, value }) => `${name}=${value}`)]
    return pairs.length === 0 ? undefined : pairs.join('; ')
  }

  #take(url: URL, text: string): void {
    const parsed = parseSetCookie(text, this.#now())
    if (parsed === undefined) return
    const { hostname } = url
    const { name, value, secure, domain = hostname, path = defaultPath(url.pathname), expiresMs = Infinity } = parsed
    if (!isWithin(hostname, domain)) return
    // A name without a dot is a whole branch of the Internet, or a host of the local network.
    const hostOnly = parsed.domain === undefined || !domain.includes('.')
    if (hostOnly && domain !== hostname) return
    const key = `${name};${domain};${path}`
    this.#cookies.delete(key)
    if (expiresMs <= this.#now()) return
    this.#cookies.set(key, { name, value, expiresMs, domain, hostOnly, path, secure })
    if (this.#cookies.size > MAX_COOKIES) this.#forgetOldest()
  }

  #matching(url: URL): Cookie[] {
    const now = this.#now()
    const found: Cookie[] = []
    for (const [key, cookie] of this.#cookies.entries().toArray()) {
      if (cookie.expiresMs <= now) this.#cookies.delete(key)
      else if (isFor(cookie, url)) {
        found.push(cookie)
        this.#cookies.delete(key)
        this.#cookies.set(key, cookie)
      }
    }
    return found.toSorted((one, other) => other.path.length - one.path.length)
  }

  #forgetOldest(): void {
    const [oldest] = this.#cookies.keys()
    if (oldest !== undefined) this.#cookies.delete(oldest)
  }
}

function isFor({ domain, hostOnly, path, secure }: Cookie, { hostname, pathname, protocol }: URL): boolean {
  const isHost = hostOnly ? hostname === domain : isWithin(hostname, domain)
  return isHost && isPathWithin(pathname, path) && (!secure || SECURE_SCHEMES.includes(protocol))
}

/** Returns true when a host is a domain or one below it (RFC 6265 5.1.3). */
function isWithin(hostname: string, domain: string): boolean {
  if (hostname === domain) return true
  return hostname.endsWith(`.${domain}`) && isIP(hostname) === 0
}

/** RFC 6265 5.1.4. */
function isPathWithin(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

/** RFC 6265 5.1.4. */
function defaultPath(pathname: string): string {
  return pathname.slice(0, pathname.lastIndexOf('/')) || '/'
}
