import { fetch, Headers, type Dispatcher, type Response } from 'undici'
import { maskUrl } from '../stream/mask-url.ts'
import type { PullRequest } from '../stream/pull.ts'
import { httpDispatcher } from './dialed.ts'
import { networkReason, SourceError } from './source-error.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const HTTP = ['http:', 'https:']
const WEB_SOCKET = ['ws:', 'wss:']
/** Headers that are for the source's own server, and not for where it leads. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization']
/** From a request to the head of its answer, redirects included. */
const ANSWER_TIMEOUT_MS = 30_000

/** Bytes of a file, from the first up to the last one, or up to the end of the file. */
export type ByteSpan = { readonly first: number; readonly last?: number }

/** What is asked for. */
export type SourceRequest = {
  /** Where the source leads, such as to a segment. Default its own address. */
  readonly url?: URL
  /** The part that is asked for, which a server may take no notice of. Default all. */
  readonly span?: ByteSpan | undefined
  /** Ends the request, its body included. Default after 30 s without the head of an answer. */
  readonly signal?: AbortSignal
}

/** Where an answer leads that is a redirect. */
export type Redirect = { readonly location: string }

/**
 * Makes requests for the source that a pull names, by its dialer and with its headers. Redirects are followed, at most five;
 * what is for the source's own server (user information, `Authorization`, cookies) goes to no other.
 */
export class SourceRequests {
  /** The address of the source, without user information. */
  readonly url: URL
  readonly #schemes: readonly string[]
  readonly #headers: Headers
  readonly #signal: AbortSignal
  readonly #dispatcher: Dispatcher

  /**
   * @param signal ends what is under way, and the connections that are kept
   * @param options whether the address may be that of a WebSocket, which the caller opens as {@link SourceRequests.follow} says
   * @throws {SourceError} when the address or a header is not valid
   */
  constructor(
    { url, header, dial }: Pick<PullRequest, 'url' | 'header' | 'dial'>,
    signal: AbortSignal,
    { webSocket = false }: { readonly webSocket?: boolean } = {},
  ) {
    const parsed = URL.parse(url)
    this.#schemes = webSocket ? [...HTTP, ...WEB_SOCKET] : HTTP
    if (parsed === null || !this.#schemes.includes(parsed.protocol)) {
      throw new SourceError(`the source has no ${webSocket ? 'http, https, ws or wss' : 'http or https'} address`)
    }
    this.url = withoutUser(parsed)
    this.#headers = headersOf(header, parsed)
    this.#signal = signal
    this.#dispatcher = httpDispatcher(dial, { signal })
  }

  /** Whether the address is that of a WebSocket. */
  get isWebSocket(): boolean {
    return isWebSocket(this.url)
  }

  /**
   * Asks by HTTP for the source, or for what it leads to. The answer's `url` is where it was found.
   * @throws {SourceError} when there is no answer, or none that is good
   */
  async get(request: SourceRequest = {}): Promise<Response> {
    const response = await this.ask(request)
    if (response.ok) return response
    await response.body?.cancel()
    const { status } = response
    throw new SourceError(`the server answered ${status} for ${maskUrl(response.url)}`, { status })
  }

  /**
   * Asks as {@link SourceRequests.get} does; whether the answer is good is for the caller to see.
   * @throws {SourceError} when there is no answer
   */
  async ask({ url = this.url, span, signal }: SourceRequest): Promise<Response> {
    const late = new AbortController()
    const giveUp = () => late.abort(new Error('the server does not answer'))
    const timer = signal === undefined ? setTimeout(giveUp, ANSWER_TIMEOUT_MS) : undefined
    const init = { redirect: 'manual', dispatcher: this.#dispatcher } as const
    const ending = AbortSignal.any([this.#signal, signal ?? late.signal])
    try {
      return await this.follow(async (next, headers) => {
        if (span) headers.set('range', `bytes=${span.first}-${span.last ?? ''}`)
        const response = await fetch(next.href, { ...init, headers, signal: ending })
        const location = redirectOf(response.status, response.headers.get('location'))
        if (location !== undefined) await response.body?.cancel()
        return location ?? response
      }, url)
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Asks at one address after the other, as each redirect says; for requests that the caller makes by himself.
   * @throws {SourceError} when that fails, or leads nowhere
   */
  async follow<Answer extends object>(
    ask: (url: URL, headers: Headers) => Promise<Answer | Redirect>,
    url = this.url,
  ): Promise<Answer> {
    let at = withoutUser(url)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await this.#ask(ask, at)
      if (!('location' in answer)) return answer
      at = this.#next(answer.location, at)
    }
    throw new SourceError(`there are more than ${MAX_REDIRECTS} redirects`)
  }

  async #ask<Answer>(ask: (url: URL, headers: Headers) => Promise<Answer>, url: URL): Promise<Answer> {
    const headers = new Headers(this.#headers)
    if (url.origin !== this.url.origin) for (const name of PRIVATE_HEADERS) headers.delete(name)
    try {
      return await ask(url, headers)
    } catch (error) {
      if (this.#signal.aborted || error instanceof SourceError) throw error
      throw new SourceError(`can't fetch ${maskUrl(url.href)}: ${networkReason(error)}`, { cause: error })
    }
  }

  #next(location: string, from: URL): URL {
    const url = URL.parse(location, from)
    // Servers redirect WebSockets as what they were asked by, too.
    if (url !== null && isWebSocket(from)) url.protocol = url.protocol.replace(/^http/u, 'ws')
    if (url !== null && this.#schemes.includes(url.protocol) && isWebSocket(url) === isWebSocket(from)) {
      return withoutUser(url)
    }
    const elsewhere = this.#schemes === HTTP ? 'what is no http or https address' : 'an address of another kind'
    throw new SourceError(`a redirect leads to ${elsewhere}`)
  }
}

/** Where an answer leads by its status and `Location`; undefined where it is no redirect. */
export function redirectOf(status: number, location: string | null | undefined): Redirect | undefined {
  return REDIRECTS.includes(status) && typeof location === 'string' ? { location } : undefined
}

function isWebSocket({ protocol }: URL): boolean {
  return WEB_SOCKET.includes(protocol)
}

function withoutUser(url: URL): URL {
  const bare = new URL(url)
  bare.username = bare.password = bare.hash = ''
  return bare
}

function headersOf(header: PullRequest['header'], { username, password }: URL): Headers {
  const headers = new Headers({ 'user-agent': 'sluice' })
  if (username !== '' || password !== '') {
    const user = Buffer.from(`${decoded(username)}:${decoded(password)}`)
    headers.set('authorization', `Basic ${user.toString('base64')}`)
  }
  for (const [name, values] of Object.entries(header)) {
    try {
      headers.delete(name)
      for (const value of values) headers.append(name, value)
    } catch {
      // The runtime's own message shows the value.
      throw new SourceError(`header ${JSON.stringify(name)} of the rule is not valid`)
    }
  }
  return headers
}

/** What is encoded wrongly is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
