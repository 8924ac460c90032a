import type { RecordingBytes } from 'sluice/sdk'
import { StorageError } from '../storage-error.ts'
import type { S3Requests } from './requests.ts'
import { retried } from './retry.ts'

type ObjectBytesInit = {
  readonly requests: S3Requests
  readonly key: string
  readonly sizeBytes: number
  /** The ETag of the object when it was opened; empty where the server names none. */
  readonly etag: string
  readonly signal: AbortSignal | undefined
}

/** The bytes of an object: each read requests its range from the server; nothing is kept in memory. */
export class ObjectBytes implements RecordingBytes {
  readonly sizeBytes: number
  readonly #init: ObjectBytesInit
  readonly #closing = new AbortController()
  readonly #signal: AbortSignal

  constructor(init: ObjectBytesInit) {
    const { sizeBytes, signal } = init
    this.#init = init
    this.sizeBytes = sizeBytes
    this.#signal = signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal
  }

  /** @throws {StorageError} also when the object was replaced since it was opened, or this was closed */
  async read(offset: number, sizeBytes: number): Promise<Buffer> {
    const wanted = Math.max(0, Math.min(sizeBytes, this.sizeBytes - offset))
    if (wanted === 0) return Buffer.alloc(0)
    return retried(() => this.#ask(offset, wanted), this.#signal)
  }

  close(): Promise<void> {
    this.#closing.abort(new StorageError('the object is no longer read', { passes: false }))
    return Promise.resolve()
  }

  async #ask(offset: number, sizeBytes: number): Promise<Buffer> {
    const { requests, key, etag } = this.#init
    const { status, body } = await requests.send({
      method: 'GET',
      key,
      maxBytes: sizeBytes,
      signal: this.#signal,
      headers: {
        range: `bytes=${offset}-${offset + sizeBytes - 1}`,
        ...(etag !== '' && { 'if-match': etag }),
      },
    })
    if (status === 206 && body.length === sizeBytes) return body
    if (status === 200 && body.length === this.sizeBytes) return body.subarray(offset, offset + sizeBytes)
    throw new StorageError(`the server answered ${body.length} bytes of ${sizeBytes}`, { passes: true })
  }
}
