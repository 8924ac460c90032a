import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import os from 'node:os'
import { StreamNotFound, type Access } from 'sluice/sdk'
import { ANONYMOUS } from 'sluice/sdk/host'
import type { RoutedRequest } from 'sluice/sdk/http'
import type { Caller, Login } from '../login/login.ts'
import { PermissionDenied, Unauthenticated } from '../login/login-errors.ts'
import { watchCaller } from './caller-watch.ts'
import { canSendNoHeader, credentialOf } from './credential.ts'
import { namedAddresses, proxyHeader } from './proxy/trusted-proxies.ts'

/** The headers with a new token, each for clients of one kind (api.md 2). */
export const NEW_TOKEN_HEADERS = ['New-Token', 'Grpc-Metadata-New-Token'] as const

/** How often it is looked whether the caller of a WebSocket or an event stream may still have it. */
const WATCH_INTERVAL_MS = 10_000

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether requests of a method change nothing, unless the route says otherwise. */
export function isReading(method = 'GET'): boolean {
  return READING.has(method)
}

/** Who may use a route, and whether it changes something. */
export type RouteRule = { readonly access: Access; readonly changes: boolean }

/** What the guard asks of logins. */
export type LoginCheck = Pick<Login, 'isOn' | 'identify'>

export type GuardOptions = {
  /** Without it, nobody logs in. */
  readonly login?: LoginCheck | undefined
  /** Whether no administration is answered at the address that a request came to. */
  readonly isClosed: (request: RoutedRequest) => boolean
  /** Other than `WATCH_INTERVAL_MS`. */
  readonly watchIntervalMs?: number
}

/**
 * Keeps the administration to those who may use it: who has logged in, from wherever, while login is on; clients on this
 * machine while it is off (design, Outside faces). A browser on this machine also acts for pages of other sites: these
 * may read what is for users, but change nothing. With login on they have no token, and so nothing.
 */
export class Guard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** Whether the administration answers a client, who may have to log in. */
  mayAsk(request: RoutedRequest): boolean {
    return this.#options.login?.isOn === true || isFromThisMachine(request)
  }

  /**
   * Lets a client have a page of the administration, on which it may log in: browsers open pages without a token.
   * @throws {Unauthenticated} when login is off, and the client is not on this machine
   */
  admitPage(request: RoutedRequest): void {
    if (!this.mayAsk(request)) throw new Unauthenticated(refusalOf(request))
  }

  /**
   * Lets a request pass, and notes who asks.
   * @param response gets a new token where the client's is about to expire
   * @throws {SluiceError} when the client may not do that
   */
  async admit(request: RoutedRequest, rule: RouteRule, response?: ServerResponse): Promise<void> {
    if (rule.access === 'public') return
    const { login, isClosed } = this.#options
    if (isClosed(request)) throw new StreamNotFound()
    if (login?.isOn) request.user = await this.#admitCaller(login, request, rule, response)
    else request.user = admitThisMachine(request, rule)
  }

  async #admitCaller(
    login: LoginCheck,
    request: RoutedRequest,
    { access }: RouteRule,
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

/** @throws {Unauthenticated} the credential is nobody's; {@link PermissionDenied} its owner may not have that */
async function callerWith(login: LoginCheck, credential: string, access: Access): Promise<Caller> {
  const caller = await login.identify(credential)
  if (access === 'admin' && caller.role !== 'admin') {
    throw new PermissionDenied(`${caller.name} may read, and change nothing`)
  }
  return caller
}

function admitThisMachine(request: RoutedRequest, { access, changes }: RouteRule): string {
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
  // A proxy may ask by a name of its own, whatever the page's is.
  const isForeignHost =
    forwarded?.host !== undefined && isForeignPage({ ...headers, host: forwarded.host }, localAddress)
  if (isForeignHost || isForeignPage(headers, localAddress)) {
    throw new PermissionDenied('pages of other sites may neither change nor sign anything here')
  }
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
