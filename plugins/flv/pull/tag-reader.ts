import {
  FLV_TAG_HEADER_SIZE_BYTES,
  FLV_TAG_TRAILER_SIZE_BYTES,
  parseFlvFileHeader,
  parseFlvTagHeader,
  type FlvTag,
  type FlvTagHeader,
} from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'

/** The size of one read. */
const BLOCK_SIZE_BYTES = 64 * 1024
const FILE_HEADER_SIZE_BYTES = 9
/** The bytes of a tag's body that distinguish a keyframe from another frame. */
const BODY_START_SIZE_BYTES = 2

/** A tag and its offset. */
export type PlacedTag = FlvTag & { readonly offset: number }

/** The header of a tag, with the first two bytes of its body, if it has as many. */
export type TagHead = FlvTagHeader & { readonly offset: number; readonly bodyStart: Buffer }

/** Reads the tags of a recording one after the other, from its beginning or from a tag on; one block of it is in memory. */
export class TagReader {
  readonly #bytes: RecordingBytes
  #block: Buffer = Buffer.alloc(0)
  #blockOffset = 0
  /** The offset of the next tag; undefined before the file's header was read. */
  #offset: number | undefined
  #isCutOff = false

  /** @param offset the offset of the first tag to read; the file's header unless given */
  constructor(bytes: RecordingBytes, offset?: number) {
    this.#bytes = bytes
    this.#offset = offset
  }

  /** The offset of the next tag; 0 before the file's header was read. */
  get offset(): number {
    return this.#offset ?? 0
  }

  /** True when the recording ended within a tag, once it has ended. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  /**
   * The next tag, if it has been read already. Its body is a view into the block.
   * @throws {MalformedError} when the bytes are not a tag
   */
  take(): PlacedTag | undefined {
    const start = this.offset - this.#blockOffset
    if (this.#offset === undefined || !this.#has(FLV_TAG_HEADER_SIZE_BYTES)) return undefined
    const { type, timestampMs, bodySizeBytes } = parseFlvTagHeader(this.#block, start)
    if (!this.#has(FLV_TAG_HEADER_SIZE_BYTES + bodySizeBytes)) return undefined
    const bodyStart = start + FLV_TAG_HEADER_SIZE_BYTES
    const tag = { type, timestampMs, body: this.#block.subarray(bodyStart, bodyStart + bodySizeBytes) }
    return { ...tag, offset: this.#pass(bodySizeBytes) }
  }

  /**
   * Reads on, so that there is a tag to take; false at the end.
   * @throws {MalformedError} when the bytes are not FLV
   */
  async fill(): Promise<boolean> {
    await this.#readFileHeader()
    if (!(await this.#ensure(FLV_TAG_HEADER_SIZE_BYTES))) return false
    const { bodySizeBytes } = parseFlvTagHeader(this.#block, this.offset - this.#blockOffset)
    return this.#ensure(FLV_TAG_HEADER_SIZE_BYTES + bodySizeBytes)
  }

  /**
   * Reads the beginning of the next tag and skips the rest; undefined at the end.
   * @throws {MalformedError} when the bytes are not FLV
   */
  async head(): Promise<TagHead | undefined> {
    await this.#readFileHeader()
    if (!(await this.#ensure(FLV_TAG_HEADER_SIZE_BYTES))) return undefined
    const { bodySizeBytes } = parseFlvTagHeader(this.#block, this.offset - this.#blockOffset)
    const sizeBytes = FLV_TAG_HEADER_SIZE_BYTES + Math.min(bodySizeBytes, BODY_START_SIZE_BYTES)
    if (!(await this.#ensure(sizeBytes))) return undefined
    const start = this.offset - this.#blockOffset
    const header = parseFlvTagHeader(this.#block, start)
    const bodyStart = this.#block.subarray(start + FLV_TAG_HEADER_SIZE_BYTES, start + sizeBytes)
    return { ...header, bodyStart, offset: this.#pass(bodySizeBytes) }
  }

  async #readFileHeader(): Promise<void> {
    if (this.#offset !== undefined) return
    await this.#ensure(FILE_HEADER_SIZE_BYTES)
    this.#offset = parseFlvFileHeader(this.#block).sizeBytes + FLV_TAG_TRAILER_SIZE_BYTES
  }

  /** Moves to the next tag; returns the offset of this one. */
  #pass(bodySizeBytes: number): number {
    const { offset } = this
    this.#offset = offset + FLV_TAG_HEADER_SIZE_BYTES + bodySizeBytes + FLV_TAG_TRAILER_SIZE_BYTES
    return offset
  }

  #has(sizeBytes: number): boolean {
    return this.#blockOffset + this.#block.length - this.offset >= sizeBytes
  }

  /** Makes the block begin with the next tag and contain `sizeBytes` of it; false when the recording ends before. */
  async #ensure(sizeBytes: number): Promise<boolean> {
    if (this.#has(sizeBytes)) return true
    const { offset } = this
    const rest = this.#block.subarray(Math.min(offset - this.#blockOffset, this.#block.length))
    const missingBytes = Math.max(BLOCK_SIZE_BYTES, sizeBytes - rest.length)
    const more = await this.#bytes.read(offset + rest.length, missingBytes)
    this.#block = rest.length === 0 ? more : Buffer.concat([rest, more])
    this.#blockOffset = offset
    if (this.#has(sizeBytes)) return true
    this.#isCutOff = this.#block.length > 0
    return false
  }
}
