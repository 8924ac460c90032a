import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import os from 'node:os'
import { StreamNotFound, type Access, type RouteAccess } from 'sluice/sdk'
import { ANONYMOUS } from 'sluice/sdk/host'
import type { RoutedRequest } from 'sluice/sdk/http'
import type { Caller, Login } from '../login/login.ts'
import { PermissionDenied, Unauthenticated } from '../login/login-errors.ts'
import { watchCaller } from './caller-watch.ts'
import { canSendNoHeader, credentialOf } from './credential.ts'
import { namedAddresses, proxyHeader } from './proxy/trusted-proxies.ts'

/** The headers with a new token, each for clients of one kind (api.md 2). */
export const NEW_TOKEN_HEADERS = ['New-Token', 'Grpc-Metadata-New-Token'] as const

/** The interval at which the caller of a WebSocket or an event stream is checked again. */
const WATCH_INTERVAL_MS = 10_000

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** True for a method whose requests change nothing, unless the route declares a change. */
export function isReading(method = 'GET'): boolean {
  return READING.has(method)
}

/** The access that a route needs, and whether it changes something. */
export type RouteRule = { readonly access: RouteAccess; readonly changes: boolean }

/** The parts of the login that the guard needs. */
export type LoginCheck = Pick<Login, 'isOn' | 'identify'>

export type GuardOptions = {
  /** The login; without it, there is none. */
  readonly login?: LoginCheck | undefined
  /** Returns true when the address that a request came to answers no administration. */
  readonly isClosed: (request: RoutedRequest) => boolean
  /** The interval of checks in place of `WATCH_INTERVAL_MS`. */
  readonly watchIntervalMs?: number
}

/**
 * Admits clients to the administration: those with a login, from anywhere, while login is on; clients on this machine while
 * it is off (design, Outside faces). A browser on this machine also acts for pages of other sites: these may read where users
 * may, but change nothing. With login on, they have no token, and so no access.
 */
export class Guard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** Returns true when the administration answers a client, which may have to log in. */
  mayAsk(request: RoutedRequest): boolean {
    return this.#options.login?.isOn === true || isFromThisMachine(request)
  }

  /**
   * Lets a request pass, and notes its user. A request for a page has none: people log in there.
   * @param response gets a new token where the client's is about to expire
   * @throws {SluiceError} when the client may not do that
   */
  async admit(request: RoutedRequest, rule: RouteRule, response?: ServerResponse): Promise<void> {
    if (rule.access === 'public') return
    const { login, isClosed } = this.#options
    if (isClosed(request)) throw new StreamNotFound()
    const { access, changes } = rule
    if (access === 'page') return this.#admitPage(request)
    if (login?.isOn) request.user = await this.#admitCaller(login, request, access, response)
    else request.user = admitThisMachine(request, access, changes)
  }

  #admitPage(request: RoutedRequest): void {
    if (!this.mayAsk(request)) throw new Unauthenticated(refusalOf(request))
  }

  async #admitCaller(
    login: LoginCheck,
    request: RoutedRequest,
    access: Access,
    response: ServerResponse | undefined,
  ): Promise<string> {
    const credential = credentialOf(request)
    if (credential === undefined) throw new Unauthenticated('missing authorization header')
    const { name, newToken } = await callerWith(login, credential, access)
    if (newToken !== undefined) for (const header of NEW_TOKEN_HEADERS) response?.setHeader(header, newToken)
    if (canSendNoHeader(request)) {
      const { watchIntervalMs = WATCH_INTERVAL_MS } = this.#options
      watchCaller(response ?? request.socket, () => callerWith(login, credential, access), watchIntervalMs)
    }
    return name
  }
}

/** @throws {Unauthenticated} when no user has the credential; {@link PermissionDenied} when its user lacks the access */
async function callerWith(login: LoginCheck, credential: string, access: Access): Promise<Caller> {
  const caller = await login.identify(credential)
  if (access === 'admin' && caller.role !== 'admin') {
    throw new PermissionDenied(`${caller.name} may read, and change nothing`)
  }
  return caller
}

function admitThisMachine(request: RoutedRequest, access: Access, changes: boolean): string {
  if (!isFromThisMachine(request)) throw new Unauthenticated(refusalOf(request))
  if (changes || access === 'admin') refuseForeignPages(request)
  return ANONYMOUS
}

function refusalOf({ headers }: RoutedRequest): string {
  const header = proxyHeader(headers)
  const why = header === undefined ? 'reach it over localhost' : `the request came through a proxy (${header})`
  return `administration is open to this machine only; ${why}`
}

function refuseForeignPages({ headers, socket, forwarded }: RoutedRequest): void {
  const { localAddress } = socket
  // A proxy may send a host name of its own in place of the page's.
  const isForeignHost =
    forwarded?.host !== undefined && isForeignPage({ ...headers, host: forwarded.host }, localAddress)
  if (isForeignHost || isForeignPage(headers, localAddress)) {
    throw new PermissionDenied('pages of other sites may neither change nor sign anything here')
  }
}

type Asked = Pick<RoutedRequest, 'headers' | 'forwarded'> & { readonly socket: Partial<RoutedRequest['socket']> }

/**
 * True for a request from this machine: over loopback, or by an address that both ends have. A request through a proxy is
 * from this machine only if the proxy is trusted, and all addresses that the headers name are this machine's: the proxy hands
 * on a header that it does not write itself as the client wrote it.
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
 * True for a request that a browser sends for a page of another machine.
 * @param address the address of this machine that the request came to
 */
export function isForeignPage(headers: IncomingHttpHeaders, address = ''): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (origin !== undefined) return !isLocalName(URL.parse(origin)?.hostname ?? '', address)
  if (host === undefined) return site === 'cross-site'
  // A site may give its name this machine's address; its pages then have the same origin as the server.
  return site === 'cross-site' || !isLocalName(URL.parse(`http://${host}`)?.hostname ?? '', address)
}

// A name without a dot is a local one: no site outside can have it.
function isLocalName(hostname: string, address: string): boolean {
  const name = hostname.replace(/^\[|\]$/gu, '')
  if (name === os.hostname().toLowerCase() || isLoopback(name)) return true
  if (name !== '' && name === address.replace(/^::ffff:/u, '')) return true
  return /^(?:[^.:]+|.*\.localhost)$/u.test(name)
}
