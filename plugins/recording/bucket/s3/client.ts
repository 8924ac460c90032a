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

/** The longest that a signed address may be good for: a week. */
const MAX_EXPIRES_SECONDS = 604_800

/** The properties of an object that are known without reading it. */
export type ObjectHead = {
  readonly sizeBytes: number
  /** The ETag as the server writes it, with its quotes; empty where it names none. */
  readonly etag: string
}

/**
 * A client of one bucket on a server that speaks S3. Keys are without the prefix of the config. What may pass is tried again,
 * five times in some seconds; after that, and for all else, calls reject with a {@link StorageError}, or with what their signal
 * aborts for.
 */
export class S3Client {
  readonly #requests: S3Requests

  /** @throws {StorageError} that says which key of the config is wrong */
  constructor(config: S3Config, options: S3RequestsOptions) {
    this.#requests = new S3Requests(config, options)
  }

  /** Stores what is in memory. */
  async put(key: string, bytes: Buffer, signal?: AbortSignal): Promise<void> {
    const headers = { 'content-type': contentTypeOf(key) }
    await this.#send({ method: 'PUT', key, headers, body: bufferBody(bytes), signal })
  }

  /**
   * Stores a file, of which little is in memory at any time, and sees that all of it is there. Where that fails, nothing of it
   * is left on the server, if that can be reached.
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

  /** The upload of a file that can be interrupted and goes on where it was; nothing is sent before it runs. */
  prepareUpload(key: string, filePath: string): S3Upload {
    return new S3Upload(this.#requests, key, filePath)
  }

  /** @returns undefined where there is no such object */
  async head(key: string, signal?: AbortSignal): Promise<ObjectHead | undefined> {
    try {
      return headOf(await this.#send({ method: 'HEAD', key, signal }))
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return undefined
      throw error
    }
  }

  /**
   * Opens an object to be read anywhere in it.
   * @param signal has reading fail from then on with what it was aborted for
   */
  async open(key: string, signal?: AbortSignal): Promise<RecordingBytes> {
    const head = headOf(await this.#send({ method: 'HEAD', key, signal }))
    return new ObjectBytes({ ...head, requests: this.#requests, key, signal })
  }

  /** Removes an object; that there is none is no failure. */
  async delete(key: string, signal?: AbortSignal): Promise<void> {
    await this.#send({ method: 'DELETE', key, signal })
  }

  /** The objects whose keys begin with a text, in the order of their keys, page by page as they are asked for. */
  async *list(prefix = '', signal?: AbortSignal): AsyncGenerator<ListedObject> {
    let token: string | undefined
    do {
      const page = await retried(() => listPage(this.#requests, { prefix, token, signal }), signal)
      yield* page.objects
      token = page.nextToken
    } while (token !== undefined)
  }

  /**
   * The address of an object, by which anybody can read it.
   * @param expiresSeconds for how long, at most a week
   * @throws {RangeError} when that is no such number
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
