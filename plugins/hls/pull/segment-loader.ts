import { createDecipheriv } from 'node:crypto'
import { containerOf, type SegmentContainer } from './segment-container.ts'
import type { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'
import type { InitSegment, SegmentKey, SourceSegment } from '../wire/source-playlist.ts'

/** Ten seconds of 50 Mbit/s. */
const MAX_SEGMENT_SIZE_BYTES = 64 * 1024 * 1024
const SEGMENT_TIMEOUT_MS = 30_000
const KEY_SIZE_BYTES = 16
const KEY_TIMEOUT_MS = 10_000
/** The keys that were needed last; some sources change them with every segment. */
const MAX_KEYS = 4

export type LoadedSegment = {
  readonly bytes: Buffer
  readonly container: SegmentContainer
  /** The init segment to be read before it: the same buffer for all segments that have the same init segment. */
  readonly init: Buffer | undefined
}

/** Fetches segments with their init segments and keys, and decrypts them. */
export class SegmentLoader {
  readonly #client: Pick<SourceClient, 'fetch'>
  readonly #keys = new Map<string, Promise<Buffer>>()
  /** The init segment that was needed last. */
  #init: { readonly name: string; readonly bytes: Buffer } | undefined

  constructor(client: Pick<SourceClient, 'fetch'>) {
    this.#client = client
  }

  /**
   * @param base the address of the playlist
   * @throws {SourceError} when a file can't be fetched or decrypted, or is not a segment, such as an error page with status 200
   */
  async load(segment: SourceSegment, base: string): Promise<LoadedSegment> {
    const { init, sequence } = segment
    const initBytes = init && (await this.#initSegment(init, base, sequence))
    const bytes = await this.#file(segment, base, sequence)
    const container = containerOf(bytes, init !== undefined)
    if (container === undefined) throw new SourceError('what came is no segment')
    return { bytes, container, init: initBytes }
  }

  async #initSegment(init: InitSegment, base: string, sequence: number): Promise<Buffer> {
    const name = JSON.stringify([init.uri, init.range])
    if (this.#init?.name === name) return this.#init.bytes
    const bytes = await this.#file(init, base, sequence)
    if (!bytes.includes('moov')) throw new SourceError('what came is no init segment')
    this.#init = { name, bytes }
    return bytes
  }

  async #file({ uri, range, key }: InitSegment, base: string, sequence: number): Promise<Buffer> {
    if (key) assertKnown(key)
    const limits = { maxSizeBytes: MAX_SEGMENT_SIZE_BYTES, timeoutMs: SEGMENT_TIMEOUT_MS }
    const { bytes } = await this.#client.fetch({ uri, base, range, ...limits })
    if (key === undefined) return bytes
    return decrypt(bytes, await this.#key(key, base), ivOf(key, sequence))
  }

  #key({ uri }: SegmentKey, base: string): Promise<Buffer> {
    const known = this.#keys.get(uri)
    if (known) return known
    const key = this.#fetchKey(uri, base)
    this.#keys.set(uri, key)
    const [oldest] = this.#keys.keys()
    if (this.#keys.size > MAX_KEYS && oldest !== undefined) this.#keys.delete(oldest)
    key.catch(() => this.#keys.delete(uri))
    return key
  }

  async #fetchKey(uri: string, base: string): Promise<Buffer> {
    const limits = { maxSizeBytes: KEY_SIZE_BYTES, timeoutMs: KEY_TIMEOUT_MS }
    const { bytes } = await this.#client.fetch({ uri, base, ...limits })
    if (bytes.length !== KEY_SIZE_BYTES) throw new SourceError(`the key of a segment has ${bytes.length} bytes`)
    return bytes
  }
}

/** @throws {SourceError} for all but whole segments in AES-128 with a plain key */
function assertKnown({ method, format, uri }: SegmentKey): void {
  if (method === 'AES-128' && format === 'identity' && uri !== '') return
  const what = format === 'identity' ? method : `${method} with keys of ${format}`
  throw new SourceError(`the source is encrypted by ${what}; only AES-128 with a plain key is known`, { fatal: true })
}

/** The initialization vector is the number of the segment where the key has none (RFC 8216 5.2). */
function ivOf({ iv }: SegmentKey, sequence: number): Buffer {
  if (iv !== undefined) return Buffer.from(iv.replace(/^0x/iu, '').slice(-32).padStart(32, '0'), 'hex')
  const bytes = Buffer.alloc(16)
  bytes.writeBigUInt64BE(BigInt(sequence), 8)
  return bytes
}

function decrypt(bytes: Buffer, key: Buffer, iv: Buffer): Buffer {
  try {
    const decipher = createDecipheriv('aes-128-cbc', key, iv)
    return Buffer.concat([decipher.update(bytes), decipher.final()])
  } catch (cause) {
    throw new SourceError('a segment can not be decrypted with the key of the source', { cause })
  }
}
