import type { Response } from 'undici'
import type { RecordingBytes } from '../playback/recording-bytes.ts'
import { SourceError } from './source-error.ts'
import type { SourceRequests } from './source-requests.ts'

const READ_TIMEOUT_MS = 30_000
const MAX_TRIES = 3
const CONTENT_RANGE = /^bytes (\d+)-\d+\/(\d+)$/u

/** A file on a server that gives parts of it, of which nothing is kept in memory. */
export class HttpBytes implements RecordingBytes {
  readonly sizeBytes: number
  readonly #requests: SourceRequests
  readonly #closed = new AbortController()

  private constructor(requests: SourceRequests, sizeBytes: number) {
    this.#requests = requests
    this.sizeBytes = sizeBytes
  }

  /**
   * Asks for the first byte of a file. From a server that gives no parts there is an answer with the whole file, which the
   * caller reads or cancels.
   * @throws {SourceError} as {@link SourceRequests.get}
   */
  static async open(requests: SourceRequests): Promise<HttpBytes | Response> {
    const response = await requests.get({ span: { first: 0, last: 0 } })
    if (response.status !== 206) return response
    await response.body?.cancel()
    const span = contentRangeOf(response)
    return span === undefined ? requests.get() : new HttpBytes(requests, span.sizeBytes)
  }

  /**
   * Asks again where the server hangs up, or does not answer.
   * @throws {SourceError} when it answers that there is no such part, or gives one of another file
   */
  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    const last = Math.min(offset + sizeBytes, this.sizeBytes) - 1
    if (last < offset) return Buffer.alloc(0)
    for (let tries = 1; ; tries++) {
      try {
        return await this.#read(offset, last)
      } catch (error) {
        if (tries === MAX_TRIES || this.#closed.signal.aborted || isAnswer(error)) throw error
      }
    }
  }

  async #read(offset: number, last: number): Promise<Buffer> {
    const response = await this.#requests.get({ span: { first: offset, last } })
    const span = response.status === 206 ? contentRangeOf(response) : undefined
    if (span?.first !== offset || span.sizeBytes !== this.sizeBytes) {
      await response.body?.cancel()
      throw new SourceError('the file on the server has changed while it was played')
    }
    return readBody(response, last + 1 - offset, this.#closed.signal)
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }
}

/** Returns true when the server would answer the same again. A failed connection has a `cause`, and failures of the server (5xx) pass. */
function isAnswer(error: unknown): boolean {
  return error instanceof SourceError && error.cause === undefined && (error.status ?? 0) < 500
}

/**
 * Reads `Content-Range`: the first byte of the part that an answer brings, and the size of the whole file in bytes; undefined
 * where the header lacks one of them.
 */
export function contentRangeOf(response: Response): { readonly first: number; readonly sizeBytes: number } | undefined {
  const [, first, sizeBytes] = CONTENT_RANGE.exec(response.headers.get('content-range') ?? '') ?? []
  return first === undefined ? undefined : { first: Number(first), sizeBytes: Number(sizeBytes) }
}

async function readBody(response: Response, sizeBytes: number, closed: AbortSignal): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(sizeBytes)
  let filled = 0
  const reader = response.body?.getReader()
  const signal = AbortSignal.any([closed, AbortSignal.timeout(READ_TIMEOUT_MS)])
  const stop = () => void reader?.cancel().catch(() => {})
  signal.addEventListener('abort', stop, { once: true })
  try {
    while (filled < sizeBytes) {
      const piece = await reader?.read()
      if (piece?.value === undefined) break
      const chunk: Uint8Array = piece.value
      bytes.set(chunk.subarray(0, sizeBytes - filled), filled)
      filled += chunk.length
    }
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
  if (filled < sizeBytes) throw new Error('the server broke off within a part of the file')
  return bytes
}
