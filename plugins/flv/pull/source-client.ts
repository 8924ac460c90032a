import { on, once } from 'node:events'
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { maskUrl, type PullRequest } from 'sluice/sdk'
import { contentRangeOf, dialHttp, SourceError, SourceRequests } from 'sluice/sdk/http'
import { FLV_MAX_TAG_SIZE_BYTES } from 'sluice/sdk/media'
import type { Response } from 'undici'
import { WebSocket } from 'ws'

/** Largest message of a WebSocket: servers put what they send at once into one. */
const MAX_MESSAGE_SIZE_BYTES = 4 * FLV_MAX_TAG_SIZE_BYTES
/** So many messages wait at most until the socket is read no further. */
const MAX_WAITING_MESSAGES = 8
const MAX_CONTENT_TYPE_LENGTH = 64
/** Some live servers announce a length that they never reach. */
const MAX_RECORDING_SIZE_BYTES = 2 ** 40

/** The body of an answer, and what is known of it. */
export type HttpAnswer = {
  readonly body: Readable
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

/** Asks for one source, over HTTP or WebSocket. */
export class SourceClient {
  readonly signal: AbortSignal
  readonly #dial: PullRequest['dial']
  readonly #requests: SourceRequests

  /** @throws {SourceError} when the address or a header is not valid */
  constructor({ url, header, dial }: Pick<PullRequest, 'url' | 'header' | 'dial'>, signal: AbortSignal) {
    // What comes packed has another length.
    const headers = { 'accept-encoding': ['identity'], ...header }
    this.signal = signal
    this.#dial = dial
    this.#requests = new SourceRequests({ url, header: headers, dial }, signal, { webSocket: true })
  }

  /** Whether the address is that of a WebSocket. */
  get isWebSocket(): boolean {
    return this.#requests.isWebSocket
  }

  /**
   * Asks for the source, by HTTP.
   * @param offset where the body is to begin, which not every server can do
   * @throws {SourceError} when that fails
   */
  async get(offset = 0): Promise<HttpAnswer> {
    const response = await this.#requests.ask({ span: offset === 0 ? undefined : { first: offset } })
    const { status, url } = response
    if (status === 200 || status === 206) return answerOf(response)
    await response.body?.cancel()
    throw this.#refused(status, url)
  }

  /**
   * Opens a WebSocket to the source.
   * @throws {SourceError} when that fails
   */
  async openWebSocket(): Promise<LiveBytes> {
    const { signal } = this
    const { status, url, live } = await this.#requests.follow(async ({ url, headers }) => {
      const connection = await dialHttp(this.#dial, url, { signal })
      const socket = new WebSocket(url, {
        createConnection: () => connection,
        headers: Object.fromEntries(headers),
        perMessageDeflate: false,
        maxPayload: MAX_MESSAGE_SIZE_BYTES,
      })
      // What goes wrong is told by the iteration, or the wait for the answer.
      socket.on('error', () => {})
      signal.addEventListener('abort', () => socket.terminate(), { once: true })
      const options = { close: ['close'], signal, highWaterMark: MAX_WAITING_MESSAGES, lowWaterMark: 1 }
      const messages = on(socket, 'message', options) as AsyncIterable<[Buffer, boolean]>
      const refusal = await refusalOf(socket, signal)
      if (refusal === undefined) {
        return { status: 101, headers: new Headers(), url, live: liveBytes(socket, messages) }
      }
      socket.terminate()
      return { status: refusal.statusCode ?? 0, headers: headersOf(refusal), url, live: undefined }
    })
    if (live === undefined) throw this.#refused(status, url.href)
    return live
  }

  #refused(status: number, url: string): SourceError {
    const name = STATUS_CODES[status] ?? 'unknown'
    const advice = this.#requests.advice({ status, url })
    return new SourceError(`the server answered ${status} (${name}) for ${maskUrl(url)}${advice}`, { status })
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  return headers
}

function answerOf(response: Response): HttpAnswer {
  const { status, headers, body: stream } = response
  const body = stream === null ? Readable.from([]) : Readable.fromWeb(stream)
  // What was destroyed says so, even where nobody reads it any more.
  body.on('error', () => {})
  const contentType = contentTypeOf(headers.get('content-type'))
  if (status === 200) return { body, contentType, offset: 0, sizeBytes: sizeOf(headers.get('content-length')) }
  const range = contentRangeOf(response)
  if (range !== undefined) return { body, contentType, offset: range.first, sizeBytes: range.sizeBytes }
  body.destroy()
  throw new SourceError('the server does not say which part of the source it sends')
}

function sizeOf(contentLength: string | null): number | undefined {
  const sizeBytes = Number(contentLength ?? NaN)
  return Number.isSafeInteger(sizeBytes) && sizeBytes <= MAX_RECORDING_SIZE_BYTES ? sizeBytes : undefined
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

function contentTypeOf(value: string | null): string {
  const [type = ''] = (value ?? '').split(';')
  return /^[\w.+-]+\/[\w.+-]+$/u.test(type) ? type.slice(0, MAX_CONTENT_TYPE_LENGTH) : ''
}
