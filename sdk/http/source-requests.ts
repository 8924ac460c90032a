import type { Dispatcher, Response } from 'undici'
import { maskUrl } from '../stream/mask-url.ts'
import type { PullRequest } from '../stream/pull.ts'
import { OriginCredentials } from './auth/origin-credentials.ts'
import { CookieJar } from './cookies/cookie-jar.ts'
import { httpDispatcher } from './dialed.ts'
import { networkReason, SourceError } from './source-error.ts'

/** ffmpeg follows as many. */
const MAX_REDIRECTS = 8
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
const SEE_OTHER = 303
const UNAUTHORIZED = 401
/** The most challenges of one address: the first, and further ones as long as only the nonce was too old. */
const MAX_CHALLENGES = 3
const HTTP = ['http:', 'https:']
const WEB_SOCKET = ['ws:', 'wss:']
/** Headers of the rule that are for the source's own server, and not for where it leads. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization']
/** The longest time from a request to the head of its answer, redirects included. */
const ANSWER_TIMEOUT_MS = 30_000

/** Bytes of a file, from the first up to the last one, or up to the end of the file. */
export type ByteSpan = { readonly first: number; readonly last?: number }

/** A request for the source, or for what it leads to. */
export type SourceRequest = {
  /** An address that the source leads to, such as that of a segment. Default its own address. */
  readonly url?: URL
  /** The part that is asked for, which a server may take no notice of. Default all. */
  readonly span?: ByteSpan | undefined
  /** Default `GET`. */
  readonly method?: string
  /** The content that is sent, and its type; a redirect that asks for `GET` (303) leaves it out. Default nothing. */
  readonly content?: { readonly type: string; readonly body: string }
  /** The type of answer that is wanted. Default any. */
  readonly accept?: string
  /** Ends the request, its body included. Default after 30 s without the head of an answer. */
  readonly signal?: AbortSignal
}

/** A request as it is to be made. */
export type SourceCall = { readonly method: string; readonly url: URL; readonly headers: Headers }

/** The head of an answer, with a body that is let go of where the answer only leads on. A `Response` is one. */
export type AnswerHead = {
  readonly status: number
  readonly headers: Pick<Headers, 'get' | 'getSetCookie'>
  readonly body?: { readonly cancel: () => Promise<void> } | null
}

/**
 * Makes requests for the source that a pull names, by its dialer and with its headers, and answers the challenges of servers,
 * for as long as the pull lasts. Redirects are followed, at most eight. Cookies are kept and sent back by the rules of RFC
 * 6265. Name and password of an address go to its origin, when that asks for them (`Basic`, or `Digest` with SHA-512/256,
 * SHA-256 or MD5); the headers `Authorization` and `Cookie` of the rule go to the origin of the source alone.
 */
export class SourceRequests {
  /** The address of the source, without user information. */
  readonly url: URL
  readonly #schemes: readonly string[]
  readonly #headers: Headers
  readonly #signal: AbortSignal
  readonly #dispatcher: Promise<Dispatcher>
  readonly #cookies = new CookieJar()
  readonly #credentials = new OriginCredentials()

  /**
   * @param signal ends requests under way, and the connections that are kept
   * @param options `webSocket` allows the address of a WebSocket, which the caller opens as {@link SourceRequests.follow}
   *   describes
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
    this.#credentials.learn(parsed)
    this.url = withoutUser(parsed)
    this.#headers = headersOf(header)
    this.#signal = signal
    this.#dispatcher = httpDispatcher(dial, { signal })
  }

  /** True when the address is that of a WebSocket. */
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
    const { status, url } = response
    throw new SourceError(`the server answered ${status} for ${maskUrl(url)}${this.advice(response)}`, { status })
  }

  /**
   * Asks as {@link SourceRequests.get} does; whether the answer is good is for the caller to see.
   * @throws {SourceError} when there is no answer
   */
  async ask({ url = this.url, span, method = 'GET', content, accept, signal }: SourceRequest): Promise<Response> {
    const [{ fetch }, dispatcher] = await Promise.all([import('undici'), this.#dispatcher])
    const late = new AbortController()
    const giveUp = () => late.abort(new Error('the server does not answer'))
    const timer = signal === undefined ? setTimeout(giveUp, ANSWER_TIMEOUT_MS) : undefined
    const init = { redirect: 'manual', dispatcher } as const
    const ending = AbortSignal.any([this.#signal, signal ?? late.signal])
    const request = ({ url: at, method: by, headers }: SourceCall) => {
      if (span) headers.set('range', `bytes=${span.first}-${span.last ?? ''}`)
      if (accept) headers.set('accept', accept)
      const body = by === method ? content?.body : undefined
      if (content !== undefined && body !== undefined) headers.set('content-type', content.type)
      return fetch(at.href, { ...init, method: by, headers, signal: ending, ...(body !== undefined && { body }) })
    }
    try {
      return await this.follow(request, { url, method })
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Follows redirects from address to address, and answers challenges; for requests that the caller makes itself.
   * @param ask makes one request; it may add to the headers
   * @throws {SourceError} when that fails, or leads nowhere
   */
  async follow<Answer extends AnswerHead>(
    ask: (call: SourceCall) => Promise<Answer>,
    { url = this.url, method = 'GET' }: Pick<SourceRequest, 'url' | 'method'> = {},
  ): Promise<Answer> {
    this.#credentials.learn(url)
    let step: Omit<SourceCall, 'headers'> = { url: withoutUser(url), method }
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await this.#askWithCredentials(ask, step)
      const location = locationOf(answer)
      if (location === undefined) return answer
      await answer.body?.cancel()
      const next = this.#next(location, step.url)
      const asksForGet = answer.status === SEE_OTHER && step.method !== 'HEAD'
      step = { url: next, method: asksForGet ? 'GET' : step.method }
    }
    throw new SourceError(`there are more than ${MAX_REDIRECTS} redirects`)
  }

  /** Returns the advice to a user on an answer that is not good; empty where there is none. */
  advice({ status, url }: { readonly status: number; readonly url: string }): string {
    if (status !== UNAUTHORIZED) return ''
    const at = new URL(url)
    const isOwn = at.origin === this.url.origin && this.#headers.has('authorization')
    return isOwn || this.#credentials.has(at)
      ? ': it does not take this name and password'
      : `: it asks for a name and password: say them in the address, ${at.protocol}//name:password@…`
  }

  /** Answers the challenges of one address. */
  async #askWithCredentials<Answer extends AnswerHead>(
    ask: (call: SourceCall) => Promise<Answer>,
    { url, method }: Omit<SourceCall, 'headers'>,
  ): Promise<Answer> {
    let authorization = this.#credentials.authorization(method, url)
    for (let challenges = 0; ; challenges++) {
      const answer = await this.#ask(ask, { url, method, headers: this.#headersFor(url, authorization) })
      this.#cookies.take(url, answer.headers.getSetCookie())
      this.#credentials.inform(url, answer.headers.get('authentication-info'))
      if (answer.status !== UNAUTHORIZED || challenges === MAX_CHALLENGES) return answer
      const challenge = answer.headers.get('www-authenticate')
      if (!this.#credentials.answer(url, challenge, challenges > 0)) return answer
      const sent = authorization
      authorization = this.#credentials.authorization(method, url)
      // Basic, and Digest with the same nonce, would send the same again.
      if (authorization === sent) return answer
      await answer.body?.cancel()
    }
  }

  async #ask<Answer>(ask: (call: SourceCall) => Promise<Answer>, call: SourceCall): Promise<Answer> {
    try {
      return await ask(call)
    } catch (error) {
      if (this.#signal.aborted || error instanceof SourceError) throw error
      throw new SourceError(`can't fetch ${maskUrl(call.url.href)}: ${networkReason(error)}`, { cause: error })
    }
  }

  #headersFor(url: URL, authorization: string | undefined): Headers {
    const headers = new Headers(this.#headers)
    if (url.origin !== this.url.origin) for (const name of PRIVATE_HEADERS) headers.delete(name)
    const cookie = this.#cookies.cookieFor(url, headers.get('cookie') ?? '')
    if (cookie !== undefined) headers.set('cookie', cookie)
    if (authorization !== undefined) headers.set('authorization', authorization)
    return headers
  }

  #next(location: string, from: URL): URL {
    const url = URL.parse(location, from)
    // Servers redirect WebSockets as what they were asked by, too.
    if (url !== null && isWebSocket(from)) url.protocol = url.protocol.replace(/^http/u, 'ws')
    if (url !== null && this.#schemes.includes(url.protocol) && isWebSocket(url) === isWebSocket(from)) {
      this.#credentials.learn(url)
      return withoutUser(url)
    }
    const elsewhere = this.#schemes === HTTP ? 'what is no http or https address' : 'an address of another kind'
    throw new SourceError(`a redirect leads to ${elsewhere}`)
  }
}

/** The address that an answer leads to; undefined where it is no redirect. */
function locationOf({ status, headers }: AnswerHead): string | undefined {
  const location = REDIRECTS.includes(status) ? headers.get('location') : null
  // Some servers write other letters as they are, in UTF-8; headers come as bytes.
  return location === null ? undefined : Buffer.from(location, 'latin1').toString('utf8')
}

function isWebSocket({ protocol }: URL): boolean {
  return WEB_SOCKET.includes(protocol)
}

function withoutUser(url: URL): URL {
  const bare = new URL(url)
  bare.username = bare.password = bare.hash = ''
  return bare
}

function headersOf(header: PullRequest['header']): Headers {
  const headers = new Headers({ 'user-agent': 'sluice' })
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
