import { on, once } from 'node:events'
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { maskUrl, type Dialer } from 'sluice/sdk'
import { dialHttp, httpDispatcher } from 'sluice/sdk/http'
import { FLV_MAX_TAG_SIZE_BYTES } from 'sluice/sdk/media'
import { request, type Dispatcher } from 'undici'
import { WebSocket } from 'ws'
import { reasonOf, SourceError } from './source-error.ts'
import { isWebSocket, SourceAddress } from './source-address.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** Largest message of a WebSocket: servers put what they send at once into one. */
const MAX_MESSAGE_SIZE_BYTES = 4 * FLV_MAX_TAG_SIZE_BYTES
/** So many messages wait at most until the socket is read no further. */
const MAX_WAITING_MESSAGES = 8
const MAX_CONTENT_TYPE_LENGTH = 64
/** Some live servers announce a length that they never reach. */
const MAX_RECORDING_SIZE_BYTES = 2 ** 40

type SourceClientOptions = {
  /** The address with or without user information, which becomes basic authentication. */
  readonly url: string
  readonly header: Readonly<Record<string, readonly string[]>>
  /** Opens all connections. */
  readonly dial: Dialer
  /** Ends what is under way. */
  readonly signal: AbortSignal
}

/** The body of an answer, and what is known of it. */
export type HttpAnswer = {
  readonly body: Dispatcher.ResponseData['body']
  /** Of the whole, where the server says that; what has no end has none. */
  readonly sizeBytes: number | undefined
  /** Where the body begins in the whole. */
  readonly offset: number
  /** Empty where none was given; at most a few words. */
  readonly contentType: string
}

/** Bytes that come as long as somebody sends some. */
export type LiveBytes = {
  readonly chunks: AsyncIterable<Buffer>
  /** Why there are no more. */
  readonly end: () => string
  readonly contentType: string
}

/** Asks for one source, over HTTP or WebSocket. Redirects are followed, without what is for the source's own server alone. */
export class SourceClient {
  readonly signal: AbortSignal
  readonly #address: SourceAddress
  readonly #dial: Dialer
  readonly #dispatcher: Dispatcher

  /** @throws {SourceError} when the address or a header is not valid */
  constructor({ url, header, dial, signal }: SourceClientOptions) {
    this.signal = signal
    this.#address = new SourceAddress(url, header)
    this.#dial = dial
    this.#dispatcher = httpDispatcher(dial, { signal })
  }

  /** Whether the address is that of a WebSocket. */
  get isWebSocket(): boolean {
    return isWebSocket(this.#address.url)
  }

  /**
   * Asks for the source, by HTTP.
   * @param offset where the body is to begin, which not every server can do
   * @throws {SourceError} when that fails
   */
  async get(offset = 0): Promise<HttpAnswer> {
    const range = offset === 0 ? {} : { range: `bytes=${offset}-` }
    return this.#follow(async (url) => {
      const headers = { ...this.#address.headersFor(url), ...range }
      const {
        statusCode,
        headers: got,
        body,
      } = await request(url, {
        ...{ headers, dispatcher: this.#dispatcher, signal: this.signal },
      })
      // What was destroyed says so, even where nobody reads it any more.
      body.on('error', () => {})
      const location = REDIRECTS.includes(statusCode) ? got['location'] : undefined
      if (location === undefined && (statusCode === 200 || statusCode === 206)) return answerOf(statusCode, got, body)
      body.destroy()
      return redirected(statusCode, location, url)
    })
  }

  /**
   * Opens a WebSocket to the source.
   * @throws {SourceError} when that fails
   */
  openWebSocket(): Promise<LiveBytes> {
    return this.#follow(async (url) => {
      const { signal } = this
      const connection = await dialHttp(this.#dial, url, { signal })
      const socket = new WebSocket(url, {
        createConnection: () => connection,
        headers: this.#address.headersFor(url),
        ...{ perMessageDeflate: false, maxPayload: MAX_MESSAGE_SIZE_BYTES },
      })
      // What goes wrong is told by the iteration, or the wait for the answer.
      socket.on('error', () => {})
      signal.addEventListener('abort', () => socket.terminate(), { once: true })
      const messages = on(socket, 'message', {
        ...{ close: ['close'], signal, highWaterMark: MAX_WAITING_MESSAGES, lowWaterMark: 1 },
      }) as AsyncIterable<[Buffer, boolean]>
      const refusal = await refusalOf(socket, signal)
      if (refusal !== undefined) {
        const { statusCode = 0, headers } = refusal
        socket.terminate()
        return redirected(statusCode, REDIRECTS.includes(statusCode) ? headers['location'] : undefined, url)
      }
      return liveBytes(socket, messages)
    })
  }

  /** Asks at one address after the other, as each redirect says. */
  async #follow<Answer extends object>(
    ask: (url: URL) => Promise<Answer | { readonly redirect: URL }>,
  ): Promise<Answer> {
    let { url } = this.#address
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const answer = await this.#ask(ask, url)
      if (!('redirect' in answer)) return answer
      url = answer.redirect
    }
    throw new SourceError(`more than ${MAX_REDIRECTS} redirects`)
  }

  async #ask<Answer>(ask: (url: URL) => Promise<Answer>, url: URL): Promise<Answer> {
    try {
      return await ask(url)
    } catch (error) {
      if (this.signal.aborted || error instanceof SourceError) throw error
      throw new SourceError(`can't fetch ${maskUrl(url.href)}: ${reasonOf(error)}`, { cause: error })
    }
  }
}

function answerOf(status: number, headers: Dispatcher.ResponseData['headers'], body: HttpAnswer['body']): HttpAnswer {
  const contentType = contentTypeOf(headers['content-type'])
  if (status === 200) return { body, contentType, offset: 0, sizeBytes: sizeOf(headers['content-length']) }
  const [, first = '', whole = ''] = /^bytes (\d+)-\d+\/(\d+)$/u.exec(String(headers['content-range'])) ?? []
  if (first !== '') return { body, contentType, offset: Number(first), sizeBytes: Number(whole) }
  body.destroy()
  throw new SourceError('the server does not say which part of the source it sends')
}

function sizeOf(contentLength: string | string[] | undefined): number | undefined {
  const sizeBytes = Number(contentLength ?? NaN)
  return Number.isSafeInteger(sizeBytes) && sizeBytes <= MAX_RECORDING_SIZE_BYTES ? sizeBytes : undefined
}

/** @throws {SourceError} when the answer leads nowhere */
function redirected(status: number, location: string | string[] | undefined, url: URL): { readonly redirect: URL } {
  const shown = maskUrl(url.href)
  if (typeof location !== 'string') {
    throw new SourceError(`the server answered ${status} (${STATUS_CODES[status] ?? 'unknown'}) for ${shown}`)
  }
  const redirect = SourceAddress.next(location, url)
  if (redirect === undefined) throw new SourceError(`a redirect of ${shown} leads to an address of another kind`)
  return { redirect }
}

/** Resolves with an answer that is none of a WebSocket; with nothing where it is open. */
async function refusalOf(socket: WebSocket, signal: AbortSignal): Promise<IncomingMessage | undefined> {
  const settled = new AbortController()
  const options = { signal: AbortSignal.any([signal, settled.signal]) }
  const opened = once(socket, 'open', options).then(() => undefined)
  const refused = once(socket, 'unexpected-response', options).then(([, answer]) => answer as IncomingMessage)
  try {
    return await Promise.race([opened, refused])
  } finally {
    settled.abort()
  }
}

function liveBytes(socket: WebSocket, messages: AsyncIterable<[Buffer, boolean]>): LiveBytes {
  let code = 0
  socket.once('close', (closeCode) => (code = closeCode))
  return {
    chunks: binaryOf(messages),
    end: () => `the server closed the WebSocket (code ${code})`,
    contentType: '',
  }
}

async function* binaryOf(messages: AsyncIterable<[Buffer, boolean]>): AsyncGenerator<Buffer> {
  for await (const [bytes, isBinary] of messages) if (isBinary) yield bytes
}

function contentTypeOf(value: string | string[] | undefined): string {
  const [type = ''] = String(value ?? '').split(';')
  return /^[\w.+-]+\/[\w.+-]+$/u.test(type) ? type.slice(0, MAX_CONTENT_TYPE_LENGTH) : ''
}
