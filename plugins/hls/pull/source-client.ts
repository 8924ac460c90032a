import { maskUrl, type PullRequest } from 'sluice/sdk'
import { networkReason, SourceError as RequestError, SourceRequests } from 'sluice/sdk/http'
import type { Response } from 'undici'
import type { ByteRange } from '../wire/source-playlist.ts'
import { SourceError } from './source-error.ts'

/** A file to be fetched. */
export type FileRequest = {
  /** The address, relative to `base`. */
  readonly uri: string
  readonly base: string
  readonly range?: ByteRange | undefined
  readonly maxSizeBytes: number
  readonly timeoutMs: number
}

/** Fetches the files of one source, over HTTP only. */
export class SourceClient {
  /** The address of the source without user information. */
  readonly url: string
  readonly #signal: AbortSignal
  readonly #requests: SourceRequests

  /** @throws {SourceError} when the address or a header is not valid */
  constructor(request: Pick<PullRequest, 'url' | 'header' | 'dial' | 'signal'>) {
    this.#signal = request.signal
    try {
      this.#requests = new SourceRequests(request, request.signal)
    } catch (error) {
      throw error instanceof RequestError ? new SourceError(error.message, { fatal: true, cause: error }) : error
    }
    this.url = this.#requests.url.href
  }

  /**
   * Fetches a file; returns its bytes and its final address, to resolve others against.
   * @throws {SourceError} when that fails, takes too long, or the file is too large
   */
  async fetch({ uri, base, range, maxSizeBytes, timeoutMs }: FileRequest): Promise<{ bytes: Buffer; url: string }> {
    const url = URL.parse(uri, base)
    if (url === null || !/^https?:$/u.test(url.protocol)) {
      throw new SourceError('a playlist leads to what is no http or https address')
    }
    const signal = AbortSignal.timeout(timeoutMs)
    const span = range && { first: range.offset, last: range.offset + range.sizeBytes - 1 }
    const shown = maskUrl(url.href)
    try {
      const response = await this.#requests.get({ url, span, signal })
      const whole = await readBody(response, maxSizeBytes, shown)
      // A server may not support ranges.
      const bytes =
        range && response.status === 200 ? whole.subarray(range.offset, range.offset + range.sizeBytes) : whole
      return { bytes, url: response.url }
    } catch (error) {
      if (this.#signal.aborted || error instanceof SourceError) throw error
      if (error instanceof RequestError && !signal.aborted) throw new SourceError(error.message, { cause: error })
      const reason = signal.aborted ? `no answer within ${timeoutMs / 1000} s` : networkReason(error)
      throw new SourceError(`can't fetch ${shown}: ${reason}`, { cause: error })
    }
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
