import { fetch, Headers, type Dispatcher, type Response } from 'undici'
import type { PullRequest } from '../stream/pull.ts'
import { httpDispatcher } from './dialed.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Headers that are for the source's own server, and not for where it redirects to. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization']
/** From a request to the head of its answer, redirects included. */
const ANSWER_TIMEOUT_MS = 30_000

/** Bytes of a file, from the first up to the last one. */
export type ByteSpan = { readonly first: number; readonly last: number }

/** Makes requests for the file that a pull names, by its dialer and with its headers; redirects are followed. */
export class SourceRequests {
  readonly #url: URL
  readonly #headers: Headers
  readonly #signal: AbortSignal
  readonly #dispatcher: Dispatcher

  /**
   * @param signal ends what is under way, and the connections that are kept
   * @throws {Error} when the address or a header is not valid
   */
  constructor({ url, header, dial }: Pick<PullRequest, 'url' | 'header' | 'dial'>, signal: AbortSignal) {
    const parsed = URL.parse(url)
    if (parsed === null || !isHttp(parsed)) throw new Error('the source has no http or https address')
    this.#url = parsed
    this.#headers = headersOf(header, parsed)
    this.#signal = signal
    this.#dispatcher = httpDispatcher(dial, { signal })
  }

  /**
   * Asks for the file or for a part of it, which a server may take no notice of.
   * @throws {Error} that says what is wrong, with nothing secret in its message, when there is no answer, or none that is good
   */
  async get(span?: ByteSpan): Promise<Response> {
    const giveUp = new AbortController()
    const timer = setTimeout(() => giveUp.abort(), ANSWER_TIMEOUT_MS)
    try {
      const response = await this.#follow(span, AbortSignal.any([this.#signal, giveUp.signal]))
      if (response.ok) return response
      await response.body?.cancel()
      throw new Error(`the server answered ${response.status}`)
    } catch (error) {
      if (this.#signal.aborted) throw error
      if (giveUp.signal.aborted) throw new Error('the server does not answer', { cause: error })
      throw new Error(reasonOf(error), { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  async #follow(span: ByteSpan | undefined, signal: AbortSignal): Promise<Response> {
    const dispatcher = this.#dispatcher
    let url = this.#url
    for (let redirects = 0; ; redirects++) {
      const headers = this.#headersFor(url, span)
      const response = await fetch(withoutUser(url), { headers, signal, redirect: 'manual', dispatcher })
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      if (location === null) return response
      await response.body?.cancel()
      const next = URL.parse(location, url)
      if (redirects === MAX_REDIRECTS) throw new Error(`there are more than ${MAX_REDIRECTS} redirects`)
      if (next === null || !isHttp(next)) throw new Error('a redirect leads to what is no http or https address')
      url = next
    }
  }

  #headersFor(url: URL, span: ByteSpan | undefined): Headers {
    const headers = new Headers(this.#headers)
    if (url.origin !== this.#url.origin) for (const name of PRIVATE_HEADERS) headers.delete(name)
    if (span) headers.set('range', `bytes=${span.first}-${span.last}`)
    return headers
  }
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

function withoutUser(url: URL): string {
  const bare = new URL(url)
  bare.username = bare.password = bare.hash = ''
  return bare.href
}

function headersOf(header: PullRequest['header'], { username, password }: URL): Headers {
  // A part of a packed file would be of no use.
  const headers = new Headers({ 'user-agent': 'sluice', 'accept-encoding': 'identity' })
  if (username !== '' || password !== '') {
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`)
  }
  for (const [name, values] of Object.entries(header)) {
    try {
      headers.delete(name)
      for (const value of values) headers.append(name, value)
    } catch {
      // The runtime's own message shows the value.
      throw new Error(`header ${JSON.stringify(name)} of the rule is not valid`)
    }
  }
  return headers
}

/** What the dialer or the system says is the cause of what `fetch` throws. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return 'the request failed'
  return 'code' in cause && typeof cause.code === 'string' ? `${cause.code}: ${cause.message}` : cause.message
}
