import { FLV_FILE_HEADER_SIZE_BYTES, parseFlvFileHeader } from './file-header.ts'
import type { FlvFileHeader } from './file-header.ts'
import { FLV_TAG_HEADER_SIZE_BYTES, FLV_TAG_TRAILER_SIZE_BYTES, parseFlvTagHeader } from './tag.ts'
import type { FlvTag } from './tag.ts'

/**
 * Reads an FLV byte stream as it comes in. It keeps the bytes it is given until their tag is whole, at most
 * `FLV_MAX_TAG_SIZE_BYTES` and one push; bodies are views into them. The sizes between tags are not checked, as many
 * writers get them wrong.
 */
export class FlvReader {
  #chunks: Buffer[] = []
  #sizeBytes = 0
  /** The number of bytes that the next step needs; fewer are not looked at. */
  #neededBytes = FLV_FILE_HEADER_SIZE_BYTES
  #header: FlvFileHeader | undefined

  /** The file's header, once it has been read. */
  get header(): FlvFileHeader | undefined {
    return this.#header
  }

  /**
   * Takes the next bytes over and gives the tags that they complete.
   * @throws {MalformedError} when they are not FLV; the reader is of no use afterwards.
   */
  push(bytes: Buffer): FlvTag[] {
    this.#chunks.push(bytes)
    this.#sizeBytes += bytes.length
    if (this.#sizeBytes < this.#neededBytes) return []
    const whole = this.#chunks.length === 1 ? bytes : Buffer.concat(this.#chunks)
    const tags: FlvTag[] = []
    const rest = whole.subarray(this.#readAll(whole, tags))
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#sizeBytes = rest.length
    return tags
  }

  /** Reads the whole tags; returns the offset of the rest, and sets the number of bytes that the rest needs. */
  #readAll(whole: Buffer, tags: FlvTag[]): number {
    let offset = 0
    if (!this.#header) {
      const { header, sizeBytes } = parseFlvFileHeader(whole)
      this.#neededBytes = sizeBytes + FLV_TAG_TRAILER_SIZE_BYTES
      if (whole.length < this.#neededBytes) return 0
      this.#header = header
      offset = this.#neededBytes
    }
    for (;;) {
      this.#neededBytes = FLV_TAG_HEADER_SIZE_BYTES
      if (whole.length - offset < this.#neededBytes) return offset
      const { type, timestampMs, bodySizeBytes } = parseFlvTagHeader(whole, offset)
      this.#neededBytes += bodySizeBytes + FLV_TAG_TRAILER_SIZE_BYTES
      if (whole.length - offset < this.#neededBytes) return offset
      const start = offset + FLV_TAG_HEADER_SIZE_BYTES
      tags.push({ type, timestampMs, body: whole.subarray(start, start + bodySizeBytes) })
      offset += this.#neededBytes
    }
  }
}
