import type { IncomingHttpHeaders } from 'node:http'
import os from 'node:os'
import { SluiceError, StreamNotFound, type Access } from 'sluice/sdk'
import type { RoutedRequest } from 'sluice/sdk/http'
import { namedAddresses, proxyHeader } from './proxy/trusted-proxies.ts'

class AdminRefused extends SluiceError {
  constructor(header: string | undefined) {
    const why = header === undefined ? 'reach it over localhost' : `the request came through a proxy (${header})`
    super('UNAUTHENTICATED', 401, `administration is open to this machine only; ${why}`)
  }
}

class ForeignPage extends SluiceError {
  constructor() {
    super('PERMISSION_DENIED', 403, 'pages of other sites may neither change nor sign anything here')
  }
}

/** Who may use a route, and whether it changes something. */
export type RouteRule = { readonly access: Access; readonly changes: boolean }

/**
 * Keeps the administration to those who may use it: clients on this machine, as long as there is no login (design,
 * Outside faces). A browser on this machine also acts for pages of other sites: these may read what is for users, but
 * change nothing.
 */
export class Guard {
  readonly #isClosed: (request: RoutedRequest) => boolean

  /** @param isClosed whether no administration is answered at the address that a request came to */
  constructor(isClosed: (request: RoutedRequest) => boolean) {
    this.#isClosed = isClosed
  }

  /**
   * Lets a request pass, and notes who asks.
   * @throws {SluiceError} when the client may not do that
   */
  admit(request: RoutedRequest, { access, changes }: RouteRule): void {
    if (access === 'public') return
    if (this.#isClosed(request)) throw new StreamNotFound()
    // Logins find out here who asks.
    if (!isFromThisMachine(request)) throw new AdminRefused(proxyHeader(request.headers))
    if (changes || access === 'admin') refuseForeignPages(request)
    request.user = 'anonymous'
  }
}

function refuseForeignPages({ headers, socket, forwarded }: RoutedRequest): void {
  const { localAddress } = socket
  // A proxy may ask by a name of its own, whatever the page's is.
  const isForeignHost =
    forwarded?.host !== undefined && isForeignPage({ ...headers, host: forwarded.host }, localAddress)
  if (isForeignHost || isForeignPage(headers, localAddress)) throw new ForeignPage()
}

type Asked = Pick<RoutedRequest, 'headers' | 'forwarded'> & { readonly socket: Partial<RoutedRequest['socket']> }

/**
 * Whether a request comes from this machine: over loopback, or by an address that both ends have. One that came through
 * a proxy does only if the proxy is trusted, and all addresses that the headers name are this machine's: a header that
 * the proxy does not write itself, it hands on as the client wrote it.
 */
export function isFromThisMachine({ socket, headers, forwarded }: Asked): boolean {
  const { remoteAddress = '', localAddress = '' } = socket
  const isOwn = (address: string | undefined) =>
    address !== undefined && (isLoopback(address) || (address !== '' && address === localAddress))
  if (!isOwn(remoteAddress) || proxyHeader(headers) === undefined) return isOwn(remoteAddress)
  const named = namedAddresses(headers)
  return forwarded !== undefined && named.length > 0 && named.every(isOwn)
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/u.test(address)
}

/**
 * Whether a browser sends the request for a page that is not of this machine.
 * @param address the one of this machine that the request came to
 */
export function isForeignPage(headers: IncomingHttpHeaders, address = ''): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin !== undefined) return !isLocalName(URL.parse(origin)?.hostname ?? '', address)
  if (host === undefined) return site === 'cross-site'
  // A site may give its name this machine's address, and its pages are then of one origin with the server.
  return site === 'cross-site' || !isLocalName(URL.parse(`http://${host}`)?.hostname ?? '', address)
}

// Nobody from outside can have a name without a dot.
function isLocalName(hostname: string, address: string): boolean {
  const name = hostname.replace(/^\[|\]$/gu, '')
  if (name === os.hostname().toLowerCase() || isLoopback(name)) return true
  if (name !== '' && name === address.replace(/^::ffff:/u, '')) return true
  return /^(?:[^.:]+|.*\.localhost)$/u.test(name)
}
