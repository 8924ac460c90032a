import { parseBoxHead } from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'

const HEAD_SIZE_BYTES = 16
/** So much is read at once: the `moof` of most fragments, with the head of the box that follows. */
const WINDOW_SIZE_BYTES = 16 * 1024

/** A box at the top of a file. */
export type TopBox = {
  readonly type: string
  readonly offset: number
  /** Where its content begins, and where it ends: for one that says so, or is cut off, with the file. */
  readonly bodyOffset: number
  readonly endOffset: number
  readonly isCut: boolean
}

/** Goes through the boxes of a file without reading what they hold, save for what comes along with their heads. */
export class BoxWalk {
  readonly #bytes: RecordingBytes
  #offset = 0
  /** What was read last. */
  #window: Buffer = Buffer.alloc(0)
  #windowOffset = 0

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes
  }

  /** Goes to a box that begins there. */
  moveTo(offset: number): void {
    this.#offset = offset
  }

  /**
   * The next box; undefined at the end of the file.
   * @throws {MalformedError} where there is none
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

  /** Bytes that were read last, as views of those; undefined where they were not. */
  #inWindow(start: number, end: number): Buffer | undefined {
    const from = start - this.#windowOffset
    const to = end - this.#windowOffset
    return from >= 0 && to >= from && to <= this.#window.length ? this.#window.subarray(from, to) : undefined
  }
}
