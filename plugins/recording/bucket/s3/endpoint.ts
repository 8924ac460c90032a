import { isIP } from 'node:net'
import { StorageError } from '../storage-error.ts'
import type { S3Config } from 'sluice/sdk'
import { encodeStrictly } from './signature.ts'

/** The longest key of an object in UTF-8, by the limits of S3. */
const MAX_KEY_BYTES = 1024
/** The names of buckets that may be a label of a host name; with a dot in it, no certificate would match. */
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/u
/** The names of buckets that may be in the path of an address. */
const BUCKET = /^[\w.-]{1,255}$/u

type EndpointOptions = Pick<S3Config, 'endpoint' | 'region' | 'bucket' | 'pathprefix' | 'forcepathstyle' | 'usessl'>

/** The address of the bucket, and of the objects in it. */
export class S3Endpoint {
  /** Such as `https://bucket.s3.example.com`. */
  readonly origin: string
  /** The header `Host`. */
  readonly host: string
  readonly isSecure: boolean
  /** True when the bucket is named in the path, false when it is in the host. */
  readonly isPathStyle: boolean
  /** The beginning of all keys: empty, or with a slash at its end. */
  readonly prefix: string
  readonly #bucketPath: string

  /** @throws {StorageError} with the wrong key of the config in its message */
  constructor({ endpoint, region, bucket, pathprefix, forcepathstyle, usessl }: EndpointOptions) {
    const url = serverOf(endpoint === '' ? `s3.${region}.amazonaws.com` : endpoint, usessl)
    if (!BUCKET.test(bucket) || isDots(bucket)) throw wrong('bucket: it is to name a bucket that is there')
    this.isSecure = url.protocol === 'https:'
    this.isPathStyle = forcepathstyle || !hasNames(url.hostname) || !HOST_LABEL.test(bucket)
    this.host = this.isPathStyle ? url.host : `${bucket}.${url.host}`
    this.origin = `${url.protocol}//${this.host}`
    this.#bucketPath = this.isPathStyle ? `/${bucket}` : ''
    const folders = pathprefix.split('/').filter((name) => name !== '')
    if (folders.some(isDots)) throw wrong('pathprefix: it is to have no . or .. between its slashes')
    this.prefix = folders.map((name) => `${name}/`).join('')
  }

  /**
   * Returns the path of an object, or of the bucket, as requests have it.
   * @param key the key without the prefix
   * @throws {StorageError} when no object can have that key
   */
  path(key?: string): string {
    if (key === undefined) return this.#bucketPath || '/'
    const whole = this.prefix + key
    if (key === '' || !whole.isWellFormed())
      throw new StorageError('the key of an object is no text', { passes: false })
    if (Buffer.byteLength(whole) > MAX_KEY_BYTES) {
      throw new StorageError(`the key ${whole} is longer than ${MAX_KEY_BYTES} bytes`, { passes: false })
    }
    const names = whole.split('/')
    // Clients resolve these names as other folders.
    if (names.some(isDots)) throw new StorageError(`the key ${whole} has a . or .. as a name`, { passes: false })
    return `${this.#bucketPath}/${names.map(encodeStrictly).join('/')}`
  }
}

function serverOf(endpoint: string, isSecure: boolean): URL {
  const hasScheme = /^https?:\/\//iu.test(endpoint)
  const url = URL.parse(hasScheme ? endpoint : `${isSecure ? 'https' : 'http'}://${endpoint}`)
  const isBare = url !== null && /^\/?$/u.test(url.pathname + url.search + url.hash + url.username + url.password)
  if (!isBare) throw wrong('endpoint: write it as host, host:port or https://host, with nothing behind')
  return url
}

/** Returns true when the name of a bucket may be put before the host's. */
function hasNames(hostname: string): boolean {
  return hostname.includes('.') && isIP(hostname) === 0
}

function isDots(name: string): boolean {
  return name === '.' || name === '..'
}

function wrong(what: string): StorageError {
  return new StorageError(`the config of S3 has a wrong ${what}`, { passes: false })
}
