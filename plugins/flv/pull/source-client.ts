import { on, once } from 'node:events'
import { STATUS_CODES, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { maskUrl, type PullRequest } from 'sluice/sdk'
import { contentRangeOf, dialHttp, SourceError, SourceRequests } from 'sluice/sdk/http'
import { FLV_MAX_TAG_SIZE_BYTES } from 'sluice/sdk/media'
import type { Response } from 'undici'
import { WebSocket } from 'ws'

/** The largest message of a WebSocket: servers put all bytes that they send at once into one. */
const MAX_MESSAGE_SIZE_BYTES = 4 * FLV_MAX_TAG_SIZE_BYTES
/** The most messages that wait before the socket is paused. */
const MAX_WAITING_MESSAGES = 8
const MAX_CONTENT_TYPE_LENGTH = 64
/** The largest length that counts as one: some live servers announce a length that they never reach. */
const MAX_RECORDING_SIZE_BYTES = 2 ** 40

/** The body of an answer, with its metadata. */
export type HttpAnswer = {
  readonly body: Readable
  /** The size of the whole, if the server sends it; undefined for a body without an end. */
  readonly sizeBytes: number | undefined
  /** The offset of the body in the whole. */
  readonly offset: number
  /** Empty when there is none; at most a few words. */
  readonly contentType: string
}

/** Bytes of a live source, without a known end. */
export type LiveBytes = {
  readonly chunks: AsyncIterable<Buffer>
  /** Returns the reason for the end. */
  readonly end: () => string
  readonly contentType: string
}

/** Requests one source, over HTTP or WebSocket. */
export class SourceClient {
  readonly signal: AbortSignal
  readonly #dial: PullRequest['dial']
  readonly #requests: SourceRequests

  /** @throws {SourceError} when the address or a header is not valid */
  constructor({ url, header, dial }: Pick<PullRequest, 'url' | 'header' | 'dial'>, signal: AbortSignal) {
    // A compressed body would have another length.
    const headers = { 'accept-encoding': ['identity'], ...header }
    this.signal = signal
    this.#dial = dial
    this.#requests = new SourceRequests({ url, header: headers, dial }, signal, { webSocket: true })
  }

  /** True when the address is that of a WebSocket. */
  get isWebSocket(): boolean {
    return this.#requests.isWebSocket
  }

  /**
   * Requests the source by HTTP.
   * @param offset the offset at which the body is to begin, which not every server supports
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
      // Errors also reach the iteration, or the wait for the answer.
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
  // A body that was destroyed emits an error, even when it is not read any more.
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

/** Resolves with the answer that refuses a WebSocket; with undefined when it is open. */
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
