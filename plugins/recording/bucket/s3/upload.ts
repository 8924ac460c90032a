import { errorCode, FileBytes, type RecordingBytes } from 'sluice/sdk'
import { StorageError } from '../storage-error.ts'
import { fileBody } from './body.ts'
import { contentTypeOf } from './content-type.ts'
import { abortMultipart, completeMultipart, createMultipart, sendPart, type Multipart } from './multipart.ts'
import type { S3Requests } from './requests.ts'
import { retried } from './retry.ts'
import { S3Error } from './s3-error.ts'

/** The size of a part, unless the file would have too many parts. A file that is not larger is sent in one request. */
export const PART_BYTES = 8 * 1024 * 1024
/** The most parts of an upload, by the limits of S3. */
const MAX_PARTS = 10_000
/** The number of parts of a file that are sent at the same time. */
const PARALLEL_PARTS = 2

/** The options of a run of an upload. */
export type UploadOptions = {
  /** Ends the run when it aborts. */
  readonly signal?: AbortSignal
  /** Called after each part with the number of bytes that the server has. */
  readonly onProgress?: (uploadedBytes: number) => void
}

type Run = UploadOptions & { readonly file: RecordingBytes }

/**
 * The upload of one file to a bucket. A run that fails can be followed by another one, which sends only the parts that the
 * server does not have yet, unless `abandon` was called.
 */
export class S3Upload {
  readonly #requests: S3Requests
  readonly #key: string
  readonly #filePath: string
  #sizeBytes: number | undefined
  #multipart: Multipart | undefined
  /** The ETags of the parts that the server has, by their index. */
  readonly #etags = new Map<number, string>()
  /** True once the server was asked to put the parts together, which it may have done. */
  #isAskedFor = false

  constructor(requests: S3Requests, key: string, filePath: string) {
    this.#requests = requests
    this.#key = key
    this.#filePath = filePath
  }

  /**
   * Sends the file, and checks the size and the ETag of the object.
   * @throws {StorageError} when that fails; or the signal's reason
   */
  async run(options: UploadOptions = {}): Promise<void> {
    const file = await openFile(this.#filePath)
    try {
      this.#sizeBytes ??= file.sizeBytes
      if (file.sizeBytes !== this.#sizeBytes) {
        throw new StorageError('the file was changed while it was uploaded', { passes: false })
      }
      const run = { ...options, file }
      const etag = file.sizeBytes > PART_BYTES ? await this.#sendParts(run) : await this.#sendWhole(run)
      await this.#check(etag, options.signal)
    } catch (error) {
      if (!isUnknownUpload(error)) throw error
      this.#forget()
      throw new StorageError('the server has thrown the upload away, which begins anew', { passes: true, cause: error })
    } finally {
      await file.close()
    }
  }

  /**
   * Makes the server discard an incomplete upload.
   * @throws {StorageError} when the server does not
   */
  async abandon(): Promise<void> {
    const multipart = this.#multipart
    this.#forget()
    if (multipart !== undefined) await abortMultipart(this.#requests, multipart)
  }

  #forget(): void {
    this.#multipart = undefined
    this.#isAskedFor = false
    this.#etags.clear()
  }

  async #sendWhole({ file, signal, onProgress }: Run): Promise<string> {
    const body = fileBody(file, 0, file.sizeBytes)
    const head = { 'content-type': contentTypeOf(this.#key) }
    const request = { method: 'PUT', key: this.#key, headers: head, body, signal } as const
    const { headers } = await retried(() => this.#requests.send(request), signal)
    onProgress?.(file.sizeBytes)
    return typeof headers['etag'] === 'string' ? headers['etag'] : ''
  }

  async #sendParts({ file, signal, onProgress }: Run): Promise<string> {
    this.#multipart ??= await retried(() => createMultipart(this.#requests, this.#key, signal), signal)
    const multipart = this.#multipart
    const partBytes = Math.max(PART_BYTES, Math.ceil(file.sizeBytes / MAX_PARTS))
    const count = Math.ceil(file.sizeBytes / partBytes)
    const sizeOf = (at: number) => Math.min(partBytes, file.sizeBytes - at * partBytes)
    const missing = Array.from({ length: count }, (_, at) => at).filter((at) => !this.#etags.has(at))
    let uploadedBytes = missing.reduce((left, at) => left - sizeOf(at), file.sizeBytes)
    const failing = new AbortController()
    const ending = signal ? AbortSignal.any([signal, failing.signal]) : failing.signal
    const sendNext = async (): Promise<void> => {
      for (let at = missing.shift(); at !== undefined; at = missing.shift()) {
        const part = { number: at + 1, body: fileBody(file, at * partBytes, sizeOf(at)), signal: ending }
        this.#etags.set(at, await retried(() => sendPart(this.#requests, multipart, part), ending))
        uploadedBytes += sizeOf(at)
        onProgress?.(uploadedBytes)
      }
    }
    // All senders have ended before the file is closed.
    const senders = Array.from({ length: PARALLEL_PARTS }, () =>
      sendNext().catch((error: unknown) => {
        failing.abort(error)
        throw error
      }),
    )
    await Promise.allSettled(senders)
    signal?.throwIfAborted()
    failing.signal.throwIfAborted()
    return this.#complete(multipart, count, signal)
  }

  async #complete(multipart: Multipart, count: number, signal: AbortSignal | undefined): Promise<string> {
    const etags = Array.from({ length: count }, (_, at) => this.#etags.get(at) ?? '')
    const complete = async () => {
      const isSecond = this.#isAskedFor
      this.#isAskedFor = true
      try {
        return await completeMultipart(this.#requests, multipart, { etags, signal })
      } catch (error) {
        // An earlier answer was lost: the upload is complete, unless the check finds otherwise.
        if (isSecond && isUnknownUpload(error)) return ''
        throw error
      }
    }
    const etag = await retried(complete, signal)
    this.#forget()
    return etag
  }

  async #check(etag: string, signal: AbortSignal | undefined): Promise<void> {
    const { headers } = await retried(() => this.#requests.send({ method: 'HEAD', key: this.#key, signal }), signal)
    const isWhole = Number(headers['content-length'] ?? Number.NaN) === this.#sizeBytes
    const isSame = etag === '' || headers['etag'] === undefined || bare(headers['etag']) === bare(etag)
    if (!isWhole || !isSame) {
      throw new StorageError('the server does not have what was sent, by its size or ETag', { passes: true })
    }
  }
}

/** Returns true for the refusal of an upload that the server has discarded, as servers do with incomplete ones after a while. */
function isUnknownUpload(error: unknown): boolean {
  return error instanceof S3Error && error.code === 'NoSuchUpload'
}

/** Opens the file. @throws {StorageError} with the system's code in its message */
async function openFile(filePath: string): Promise<RecordingBytes> {
  try {
    return await FileBytes.open(filePath)
  } catch (cause) {
    // These errors may pass: others close their files, or the disk answers again.
    const passes = ['EMFILE', 'ENFILE', 'EIO', 'ESTALE'].includes(errorCode(cause))
    throw new StorageError(cause instanceof Error ? cause.message : 'the file could not be opened', { passes, cause })
  }
}

/** Returns an ETag without its quotes, which some servers leave out. */
function bare(etag: string | string[]): string {
  return String(etag).replaceAll('"', '')
}
