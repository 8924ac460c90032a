import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { type Dialer, errorCode } from 'sluice/sdk'
import { httpDispatcher, networkReason } from 'sluice/sdk/http'
import { StorageError } from '../storage-error.ts'
import { hashOf, type RequestBody } from './body.ts'
import type { S3Config } from 'sluice/sdk'
import { S3Endpoint } from './endpoint.ts'
import { s3Error, type S3Failure } from './s3-error.ts'
import {
  amzDate,
  authorization,
  canonicalQuery,
  presignedQuery,
  UNSIGNED_PAYLOAD,
  type SignedParts,
  type Signer,
} from './signature.ts'

/** The largest answer that is read unless the request has a limit of its own: it fits a page of a list with long keys. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
/** The largest answer of a refusal that is read. */
const MAX_REFUSAL_BYTES = 64 * 1024
/** The least status of an answer that is no success. */
const REFUSALS = 300
const NO_BODY_HASH = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** One request to the bucket. */
export type S3Request = {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT'
  /** The key of an object, without the prefix; undefined for the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: RequestBody
  /** The largest answer that is read, in bytes. */
  readonly maxBytes?: number
  readonly signal?: AbortSignal | undefined
}

/** A successful answer of the server. */
export type S3Answer = Pick<S3Failure, 'body' | 'headers' | 'status'>

/** The options of requests. */
export type S3RequestsOptions = {
  readonly dialer: Dialer
  /** Ends the requests that are under way, and idle connections, when it aborts. */
  readonly signal: AbortSignal
  /** The clock, in milliseconds since 1970; the machine's unless given. */
  readonly now?: () => number
}

/** Makes signed requests to one bucket, each once. */
export class S3Requests {
  readonly endpoint: S3Endpoint
  readonly #config: S3Config
  readonly #signer: Signer
  readonly #dispatcher: Promise<Dispatcher>
  readonly #now: () => number

  /** @throws {StorageError} with the wrong key of the config in its message */
  constructor(config: S3Config, { dialer, signal, now = Date.now }: S3RequestsOptions) {
    const { accesskeyid: accessKeyId, secretaccesskey: secretAccessKey, region } = config
    if (accessKeyId === '' || secretAccessKey === '') {
      throw new StorageError('the config of S3 has no accesskeyid or no secretaccesskey', { passes: false })
    }
    this.endpoint = new S3Endpoint(config)
    this.#config = config
    this.#signer = { accessKeyId, secretAccessKey, region, service: 's3' }
    this.#dispatcher = httpDispatcher(dialer, { signal })
    this.#now = now
  }

  /**
   * Sends a request once.
   * @throws {StorageError} when there is no answer, an {@link S3Error} when it is no success; or the signal's reason
   */
  async send(request: S3Request): Promise<S3Answer> {
    const { signal } = request
    signal?.throwIfAborted()
    const options = await this.#optionsOf(request)
    let answer: S3Answer
    try {
      answer = await this.#ask(options, request.maxBytes ?? MAX_ANSWER_BYTES)
    } catch (error) {
      signal?.throwIfAborted()
      throw error instanceof StorageError ? error : this.#unreachable(error)
    }
    if (answer.status >= REFUSALS) throw s3Error(this.failureOf(answer))
    return answer
  }

  /** Returns an answer with the values that the message of its error needs. */
  failureOf(answer: S3Answer): S3Failure {
    const { bucket, region } = this.#config
    return { ...answer, bucket, region, nowMs: this.#now() }
  }

  /**
   * Returns a signed address at which anybody can read an object for a while.
   * @throws {StorageError} when no object can have that key
   */
  signedUrl(key: string, expiresSeconds: number): string {
    const { origin, host } = this.endpoint
    const path = this.endpoint.path(key)
    const parts = { method: 'GET', path, query: [], headers: { host }, payloadHash: UNSIGNED_PAYLOAD }
    return `${origin}${path}?${presignedQuery(parts, this.#signer, new Date(this.#now()), expiresSeconds)}`
  }

  async #optionsOf({
    method,
    key,
    query = {},
    headers = {},
    body,
    signal,
  }: S3Request): Promise<Dispatcher.RequestOptions> {
    const at = new Date(this.#now())
    const payloadHash = await this.#hashOf(body)
    const { host, origin } = this.endpoint
    const signed = { ...headers, host, 'x-amz-date': amzDate(at), 'x-amz-content-sha256': payloadHash }
    const pairs = Object.entries(query)
    const parts: SignedParts = { method, path: this.endpoint.path(key), query: pairs, headers: signed, payloadHash }
    const { timeout } = this.#config
    return {
      method,
      origin,
      path: pairs.length === 0 ? parts.path : `${parts.path}?${canonicalQuery(pairs)}`,
      headers: {
        ...signed,
        authorization: authorization(parts, this.#signer, at),
        'user-agent': 'sluice',
        ...(body && { 'content-length': String(body.sizeBytes) }),
      },
      ...(body && body.sizeBytes > 0 && { body: Readable.from(body.pieces(), { objectMode: false }) }),
      headersTimeout: timeout,
      bodyTimeout: timeout,
      signal: signal ?? null,
    }
  }

  /** Returns the hash that is signed. TLS protects a body from changes, so that it need not be read twice. */
  async #hashOf(body: RequestBody | undefined): Promise<string> {
    if (body === undefined) return NO_BODY_HASH
    return this.endpoint.isSecure ? UNSIGNED_PAYLOAD : hashOf(body)
  }

  async #ask(options: Dispatcher.RequestOptions, maxBytes: number): Promise<S3Answer> {
    const { statusCode: status, headers, body } = await (await this.#dispatcher).request(options)
    const parts: Buffer[] = []
    const largestBytes = status < REFUSALS ? maxBytes : MAX_REFUSAL_BYTES
    let sizeBytes = 0
    for await (const part of body as AsyncIterable<Buffer>) {
      sizeBytes += part.length
      if (sizeBytes > largestBytes)
        throw new StorageError('the server answered more than was asked for', { passes: true })
      parts.push(part)
    }
    return { status, headers, body: Buffer.concat(parts) }
  }

  #unreachable(error: unknown): StorageError {
    const { host, isPathStyle } = this.endpoint
    const reason = reasonOf(error, this.#config.timeout)
    const isUnknown = !isPathStyle && errorCode(error instanceof Error ? error.cause : undefined) === 'ENOTFOUND'
    const advice = isUnknown ? '; where the server has no names for buckets, set forcepathstyle of S3' : ''
    return new StorageError(`no answer by the S3 server ${host}: ${reason}${advice}`, { passes: true, cause: error })
  }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  switch (errorCode(error)) {
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return `nothing came for ${timeoutMs / 1000} s`
    default:
      return error instanceof Error && error.name === 'DialError' ? error.message : networkReason(error)
  }
}
