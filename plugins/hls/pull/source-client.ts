import { maskUrl, type Dialer } from 'sluice/sdk'
import { httpDispatcher } from 'sluice/sdk/http'
import { fetch, Headers, type Dispatcher, type Response } from 'undici'
import type { ByteRange } from '../wire/source-playlist.ts'
import { SourceError } from './source-error.ts'

const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]
/** Headers that are for the source alone, and not for where a playlist leads. */
const PRIVATE_HEADERS = ['authorization', 'cookie', 'proxy-authorization']

type SourceClientOptions = {
  /** The address with or without user information, which becomes basic authentication. */
  readonly url: string
  readonly header: Readonly<Record<string, readonly string[]>>
  /** Opens all connections. */
  readonly dial: Dialer
  /** Ends what is under way, and the connections that are kept. */
  readonly signal: AbortSignal
}

/** A file to be fetched. */
export type FileRequest = {
  /** As seen from `base`. */
  readonly uri: string
  readonly base: string
  readonly range?: ByteRange | undefined
  readonly maxSizeBytes: number
  readonly timeoutMs: number
}

/** Fetches what belongs to one source, over HTTP only. */
export class SourceClient {
  /** The address of the source without user information. */
  readonly url: string
  readonly #signal: AbortSignal
  readonly #origin: string
  readonly #headers: Headers
  readonly #dispatcher: Dispatcher

  /** @throws {SourceError} when the address or a header is not valid */
  constructor({ url, header, dial, signal }: SourceClientOptions) {
    const parsed = URL.parse(url)
    if (parsed === null || !isHttp(parsed)) throw new SourceError('the source has no http or https address', FATAL)
    this.#signal = signal
    this.#origin = parsed.origin
    this.#headers = headersOf(header, parsed)
    this.url = withoutUser(parsed)
    this.#dispatcher = httpDispatcher(dial, { signal })
  }

  /**
   * Fetches a file; the address is that it was found at, to resolve others against.
   * @throws {SourceError} when that fails, takes too long, or there is too much of it
   */
  async fetch({ uri, base, range, maxSizeBytes, timeoutMs }: FileRequest): Promise<{ bytes: Buffer; url: string }> {
    const target = URL.parse(uri, base)
    if (target === null || !isHttp(target))
      throw new SourceError('a playlist leads to what is no http or https address')
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = AbortSignal.any([this.#signal, timeout])
    const shown = maskUrl(withoutUser(target))
    try {
      const { response, url } = await this.#follow(target, range, signal)
      if (!response.ok) {
        await response.body?.cancel()
        throw new SourceError(`the server answered ${response.status} for ${shown}`)
      }
      const whole = await readBody(response, maxSizeBytes, shown)
      // A server may know no ranges.
      const bytes =
        range && response.status === 200 ? whole.subarray(range.offset, range.offset + range.sizeBytes) : whole
      return { bytes, url }
    } catch (error) {
      if (this.#signal.aborted || error instanceof SourceError) throw error
      const reason = timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : networkReason(error)
      throw new SourceError(`can't fetch ${shown}: ${reason}`, { cause: error })
    }
  }

  async #follow(target: URL, range: ByteRange | undefined, signal: AbortSignal) {
    const dispatcher = this.#dispatcher
    let url = target
    for (let redirects = 0; ; redirects++) {
      const headers = this.#headersFor(url, range)
      const response = await fetch(withoutUser(url), { headers, signal, redirect: 'manual', dispatcher })
      const location = REDIRECTS.includes(response.status) ? response.headers.get('location') : null
      if (location === null) return { response, url: withoutUser(url) }
      await response.body?.cancel()
      const next = URL.parse(location, url)
      if (redirects === MAX_REDIRECTS) throw new SourceError(`more than ${MAX_REDIRECTS} redirects`)
      if (next === null || !isHttp(next)) throw new SourceError('a redirect leads to what is no http or https address')
      url = next
    }
  }

  #headersFor(url: URL, range: ByteRange | undefined): Headers {
    const headers = new Headers(this.#headers)
    if (url.origin !== this.#origin) for (const name of PRIVATE_HEADERS) headers.delete(name)
    if (range) headers.set('range', `bytes=${range.offset}-${range.offset + range.sizeBytes - 1}`)
    return headers
  }
}

const FATAL = { fatal: true } as const

function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

function withoutUser(url: URL): string {
  const bare = new URL(url)
  bare.username = bare.password = bare.hash = ''
  return bare.href
}

function headersOf(header: SourceClientOptions['header'], { username, password }: URL): Headers {
  const headers = new Headers({ 'user-agent': 'sluice' })
  if (username !== '' || password !== '') {
    const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.set('authorization', `Basic ${Buffer.from(user).toString('base64')}`)
  }
  for (const [name, values] of Object.entries(header)) setHeader(headers, name, values)
  return headers
}

function setHeader(headers: Headers, name: string, values: readonly string[]): void {
  try {
    headers.delete(name)
    for (const value of values) headers.append(name, value)
  } catch {
    // The runtime's own message shows the value.
    throw new SourceError(`header ${JSON.stringify(name)} of the rule is not valid`, FATAL)
  }
}

async function readBody(response: Response, maxSizeBytes: number, shown: string): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  for await (const piece of response.body ?? []) {
    pieces.push(piece)
    sizeBytes += piece.length
    if (sizeBytes > maxSizeBytes) throw new SourceError(`${shown} has more than ${maxSizeBytes} bytes`)
  }
  return Buffer.concat(pieces)
}

/** The client of HTTP puts what the dialer or the system says into the cause of its error. */
function networkReason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (cause instanceof Error) return 'code' in cause ? String(cause.code) : cause.message
  return String(cause)
}
