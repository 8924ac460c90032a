import {
  FLV_TAG_HEADER_SIZE_BYTES,
  FLV_TAG_TRAILER_SIZE_BYTES,
  parseFlvFileHeader,
  parseFlvTagHeader,
  type FlvTag,
  type FlvTagHeader,
} from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'

/** So much is read at a time. */
const BLOCK_SIZE_BYTES = 64 * 1024
const FILE_HEADER_SIZE_BYTES = 9
/** What tells a keyframe from another frame. */
const BODY_START_SIZE_BYTES = 2

/** A tag, and where it begins. */
export type PlacedTag = FlvTag & { readonly offset: number }

/** The beginning of a tag; of its body, the first two bytes where there are so many. */
export type TagHead = FlvTagHeader & { readonly offset: number; readonly bodyStart: Buffer }

/** Reads the tags of a recording one after the other, from its beginning or from a tag on; a block of it is in memory. */
export class TagReader {
  readonly #bytes: RecordingBytes
  #block: Buffer = Buffer.alloc(0)
  #blockOffset = 0
  /** Where the next tag begins; undefined before the file's header was read. */
  #offset: number | undefined
  #isCutOff = false

  /** @param offset of the tag to begin with; the file's header unless given */
  constructor(bytes: RecordingBytes, offset?: number) {
    this.#bytes = bytes
    this.#offset = offset
  }

  /** Where the next tag begins; 0 before the file's header was read. */
  get offset(): number {
    return this.#offset ?? 0
  }

  /** Whether the recording ended within a tag, once it has ended. */
  get isCutOff(): boolean {
    return this.#isCutOff
  }

  /**
   * The next tag, where it has been read already. Its body is a view into what was read.
   * @throws {MalformedError} when what comes is no tag
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
   * @throws {MalformedError} when what comes is no FLV
   */
  async fill(): Promise<boolean> {
    await this.#readFileHeader()
    if (!(await this.#ensure(FLV_TAG_HEADER_SIZE_BYTES))) return false
    const { bodySizeBytes } = parseFlvTagHeader(this.#block, this.offset - this.#blockOffset)
    return this.#ensure(FLV_TAG_HEADER_SIZE_BYTES + bodySizeBytes)
  }

  /**
   * Reads the beginning of the next tag and passes the rest over; undefined at the end.
   * @throws {MalformedError} when what comes is no FLV
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

  /** Goes on to the next tag; gives where this one began. */
  #pass(bodySizeBytes: number): number {
    const { offset } = this
    this.#offset = offset + FLV_TAG_HEADER_SIZE_BYTES + bodySizeBytes + FLV_TAG_TRAILER_SIZE_BYTES
    return offset
  }

  #has(sizeBytes: number): boolean {
    return this.#blockOffset + this.#block.length - this.offset >= sizeBytes
  }

  /** Has the block begin with the next tag and hold so much of it; false where the recording ends before. */
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
