import { SourceError } from './source-error.ts'

const SCHEMES = ['http:', 'https:', 'ws:', 'wss:']
/** Headers that are for the source alone, and not for where it leads. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization']

/** Where a source is asked for, and with which headers. */
export class SourceAddress {
  /** Without user information. */
  readonly url: URL
  readonly #headers: Headers

  /** @throws {SourceError} when the address or a header is not valid */
  constructor(url: string, header: Readonly<Record<string, readonly string[]>>) {
    const parsed = URL.parse(url)
    if (parsed === null || !SCHEMES.includes(parsed.protocol)) {
      throw new SourceError('the source has no http, https, ws or wss address')
    }
    this.#headers = new Headers({ 'user-agent': 'sluice', accept: '*/*' })
    const { username, password } = parsed
    if (username !== '' || password !== '') {
      const user = Buffer.from(`${decoded(username)}:${decoded(password)}`)
      this.#headers.set('authorization', `Basic ${user.toString('base64')}`)
    }
    for (const [name, values] of Object.entries(header)) this.#setHeader(name, values)
    this.url = withoutUser(parsed)
  }

  /** Where a redirect leads; undefined where that is no address of the same kind. */
  static next(location: string, from: URL): URL | undefined {
    const url = URL.parse(location, from)
    if (url === null) return undefined
    // Servers redirect WebSockets as what they were asked by, too.
    if (isWebSocket(from) && !isWebSocket(url)) url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
    return SCHEMES.includes(url.protocol) && isWebSocket(url) === isWebSocket(from) ? withoutUser(url) : undefined
  }

  headersFor(url: URL): Record<string, string> {
    const headers = new Headers(this.#headers)
    if (url.origin !== this.url.origin) for (const name of PRIVATE_HEADERS) headers.delete(name)
    return Object.fromEntries(headers)
  }

  #setHeader(name: string, values: readonly string[]): void {
    try {
      this.#headers.delete(name)
      for (const value of values) this.#headers.append(name, value)
    } catch {
      // The runtime's own message shows the value.
      throw new SourceError(`header ${JSON.stringify(name)} of the rule is not valid`)
    }
  }
}

export function isWebSocket({ protocol }: URL): boolean {
  return protocol === 'ws:' || protocol === 'wss:'
}

function withoutUser(url: URL): URL {
  const bare = new URL(url)
  bare.username = bare.password = bare.hash = ''
  return bare
}

/** What is encoded wrongly is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
