import { parseBoxHead } from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'

const HEAD_SIZE_BYTES = 16
/** The size of one read: the `moof` of most fragments, with the head of the box that follows. */
const WINDOW_SIZE_BYTES = 16 * 1024

/** A box at the top of a file. */
export type TopBox = {
  readonly type: string
  readonly offset: number
  /** The offsets of its content and of its end; a box of size 0, or one that is cut off, ends with the file. */
  readonly bodyOffset: number
  readonly endOffset: number
  readonly isCut: boolean
}

/** Walks through the boxes of a file without reading their content, except for the bytes that come with their heads. */
export class BoxWalk {
  readonly #bytes: RecordingBytes
  #offset = 0
  /** The bytes of the last read. */
  #window: Buffer = Buffer.alloc(0)
  #windowOffset = 0

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes
  }

  /** Moves to a box that begins at an offset. */
  moveTo(offset: number): void {
    this.#offset = offset
  }

  /**
   * The next box; undefined at the end of the file.
   * @throws {MalformedError} when there is no valid box
   */
  async next(): Promise<TopBox | undefined> {
    const offset = this.#offset
    const head = parseBoxHead(await this.#head(offset))
    if (head === null) return undefined
    const { type, headSizeBytes, sizeBytes } = head
    const end = sizeBytes === 0 ? this.#bytes.sizeBytes : offset + sizeBytes
    const endOffset = Math.min(end, this.#bytes.sizeBytes)
    this.#offset = endOffset
    return { type, offset, bodyOffset: offset + headSizeBytes, endOffset, isCut: end > endOffset }
  }

  /** The content of a box. */
  async read({ bodyOffset, endOffset }: TopBox): Promise<Buffer> {
    return this.#inWindow(bodyOffset, endOffset) ?? this.#bytes.read(bodyOffset, endOffset - bodyOffset)
  }

  async #head(offset: number): Promise<Buffer> {
    const head = this.#inWindow(offset, Math.min(offset + HEAD_SIZE_BYTES, this.#bytes.sizeBytes))
    if (head !== undefined) return head
    this.#window = await this.#bytes.read(offset, WINDOW_SIZE_BYTES)
    this.#windowOffset = offset
    return this.#window.subarray(0, HEAD_SIZE_BYTES)
  }

  /** A view of bytes of the last read; undefined when they are not among these. */
  #inWindow(start: number, end: number): Buffer | undefined {
    const from = start - this.#windowOffset
    const to = end - this.#windowOffset
    return from >= 0 && to >= from && to <= this.#window.length ? this.#window.subarray(from, to) : undefined
  }
}
