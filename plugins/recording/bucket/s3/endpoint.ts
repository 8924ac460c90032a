import { isIP } from 'node:net'
import { StorageError } from '../storage-error.ts'
import type { S3Config } from 'sluice/sdk'
import { encodeStrictly } from './signature.ts'

/** Longest key of an object, as S3 has it, in UTF-8. */
const MAX_KEY_BYTES = 1024
/** Names of buckets that are a part of a host's name; with a dot in it no certificate would fit. */
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/u
/** Names of buckets that stand in the path of an address. */
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

  /** @throws {StorageError} that says which key of the config is wrong */
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
   * The path of an object, or of the bucket, as it is sent.
   * @param key without the prefix
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
    // Whoever opens an address takes these for other folders.
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

/** True when names of buckets may stand before that of a host. */
function hasNames(hostname: string): boolean {
  return hostname.includes('.') && isIP(hostname) === 0
}

function isDots(name: string): boolean {
  return name === '.' || name === '..'
}

function wrong(what: string): StorageError {
  return new StorageError(`the config of S3 has a wrong ${what}`, { passes: false })
}
