import { createDecipheriv } from 'node:crypto'
import type { SourceClient } from './source-client.ts'
import { SourceError } from './source-error.ts'
import type { InitSegment, SegmentKey, SourceSegment } from './source-playlist.ts'

/** Ten seconds of 50 Mbit/s. */
const MAX_SEGMENT_SIZE_BYTES = 64 * 1024 * 1024
const SEGMENT_TIMEOUT_MS = 30_000
const KEY_SIZE_BYTES = 16
const KEY_TIMEOUT_MS = 10_000
/** The keys that were needed last; some sources change them with every segment. */
const MAX_KEYS = 4

/** A segment as it is to be read; `init` is there when it is another than that of the segment before. */
export type LoadedSegment = { readonly bytes: Buffer; readonly init: Buffer | undefined }

/** Fetches segments with what belongs to them, in the clear. */
export class SegmentLoader {
  readonly #client: SourceClient
  readonly #keys = new Map<string, Promise<Buffer>>()
  #init: string | undefined

  constructor(client: SourceClient) {
    this.#client = client
  }

  /**
   * @param base the address of the playlist
   * @throws {SourceError} when a file can't be had or decrypted
   */
  async load(segment: SourceSegment, base: string): Promise<LoadedSegment> {
    const { init, key, sequence } = segment
    const name = init && JSON.stringify([init.uri, init.range])
    const initBytes = init && name !== this.#init ? await this.#file(init, base, sequence) : undefined
    const bytes = await this.#file({ ...segment, key }, base, sequence)
    this.#init = name
    return { bytes, init: initBytes }
  }

  async #file({ uri, range, key }: InitSegment, base: string, sequence: number): Promise<Buffer> {
    if (key) assertKnown(key)
    const wanted = { uri, base, range, maxSizeBytes: MAX_SEGMENT_SIZE_BYTES, timeoutMs: SEGMENT_TIMEOUT_MS }
    const { bytes } = await this.#client.fetch(wanted)
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
    const wanted = { uri, base, maxSizeBytes: KEY_SIZE_BYTES, timeoutMs: KEY_TIMEOUT_MS }
    const { bytes } = await this.#client.fetch(wanted)
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

/** Without one of its own, the number of the segment is the initialization vector (RFC 8216 5.2). */
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
