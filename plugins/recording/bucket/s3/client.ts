import type { RecordingBytes } from 'sluice/sdk'
import { StorageError } from '../storage-error.ts'
import { bufferBody } from './body.ts'
import type { S3Config } from 'sluice/sdk'
import { contentTypeOf } from './content-type.ts'
import { listPage, type ListedObject } from './object-list.ts'
import { ObjectBytes } from './object-bytes.ts'
import { S3Requests, type S3Answer, type S3Request, type S3RequestsOptions } from './requests.ts'
import { retried } from './retry.ts'
import { S3Error } from './s3-error.ts'
import { S3Upload, type UploadOptions } from './upload.ts'

/** The longest validity of a signed address: a week. */
const MAX_EXPIRES_SECONDS = 604_800

/** The properties of an object that are known without reading it. */
export type ObjectHead = {
  readonly sizeBytes: number
  /** The ETag as the server writes it, with its quotes; empty where it names none. */
  readonly etag: string
}

/**
 * A client of one bucket on a server that speaks S3. Keys are without the prefix of the config. A request with a failure that may pass
 * is sent up to five times within some seconds; after that, and for other failures, calls reject with a {@link StorageError}, or with the
 * reason of their signal.
 */
export class S3Client {
  readonly #requests: S3Requests

  /** @throws {StorageError} with the wrong key of the config in its message */
  constructor(config: S3Config, options: S3RequestsOptions) {
    this.#requests = new S3Requests(config, options)
  }

  /** Stores bytes as an object. */
  async put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    const headers = { 'content-type': contentTypeOf(key) }
    await this.#send({ method: 'PUT', key, headers, body: bufferBody(bytes), signal })
  }

  /**
   * Stores a file piece by piece, and checks that the object is complete. After a failure, the server discards the incomplete upload, if
   * the server can be reached.
   */
  async upload(key: string, filePath: string, options: UploadOptions = {}): Promise<void> {
    const upload = this.prepareUpload(key, filePath)
    try {
      await upload.run(options)
    } catch (error) {
      await upload.abandon().catch(() => undefined)
      throw error
    }
  }

  /** Returns the upload of a file, which can be interrupted and continues where it was; nothing is sent before it runs. */
  prepareUpload(key: string, filePath: string): S3Upload {
    return new S3Upload(this.#requests, key, filePath)
  }

  /** @returns undefined when there is no such object */
  async head(key: string, signal?: AbortSignal): Promise<ObjectHead | undefined> {
    try {
      return headOf(await this.#send({ method: 'HEAD', key, signal }))
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return undefined
      throw error
    }
  }

  /**
   * Opens an object for reading at any offset.
   * @param signal once aborted, makes reads fail with its reason
   */
  async open(key: string, signal?: AbortSignal): Promise<RecordingBytes> {
    const head = headOf(await this.#send({ method: 'HEAD', key, signal }))
    return new ObjectBytes({ ...head, requests: this.#requests, key, signal })
  }

  /** Removes an object; a missing object is no failure. */
  async delete(key: string, signal?: AbortSignal): Promise<void> {
    await this.#send({ method: 'DELETE', key, signal })
  }

  /** Lists the objects with keys that begin with a text, in the order of their keys; asks for each page when it is needed. */
  async *list(prefix = '', signal?: AbortSignal): AsyncGenerator<ListedObject> {
    let token: string | undefined
    do {
      const page = await retried(() => listPage(this.#requests, { prefix, token, signal }), signal)
      yield* page.objects
      token = page.nextToken
    } while (token !== undefined)
  }

  /**
   * Returns a signed address at which anybody can read an object.
   * @param expiresSeconds the validity of the address, at most a week
   * @throws {RangeError} for any other validity
   */
  signedUrl(key: string, expiresSeconds: number): string {
    if (!Number.isInteger(expiresSeconds) || expiresSeconds < 1 || expiresSeconds > MAX_EXPIRES_SECONDS) {
      throw new RangeError(`an address can't be signed for ${expiresSeconds} s`)
    }
    return this.#requests.signedUrl(key, expiresSeconds)
  }

  #send(request: S3Request): Promise<S3Answer> {
    return retried(() => this.#requests.send(request), request.signal)
  }
}

/** @throws {StorageError} when the server does not say how large the object is */
function headOf({ headers }: S3Answer): ObjectHead {
  const { 'content-length': length, etag } = headers
  const sizeBytes = Number(length ?? Number.NaN)
  if (!Number.isSafeInteger(sizeBytes))
    throw new StorageError('the server does not say how large an object is', { passes: false })
  return { sizeBytes, etag: typeof etag === 'string' ? etag : '' }
}
