import { parseBoxHead } from 'sluice/sdk/media'
import type { RecordingBytes } from 'sluice/sdk'

const HEAD_SIZE_BYTES = 16

/** A box at the top of a file. */
export type TopBox = {
  readonly type: string
  readonly offset: number
  /** Where its content begins, and where it ends: for one that says so, or is cut off, with the file. */
  readonly bodyOffset: number
  readonly endOffset: number
  readonly isCut: boolean
}

/** Goes through the boxes of a file without reading what they hold. */
export class BoxWalk {
  readonly #bytes: RecordingBytes
  #offset = 0

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
    const head = parseBoxHead(await this.#bytes.read(offset, HEAD_SIZE_BYTES))
    if (head === null) return undefined
    const { type, headSizeBytes, sizeBytes } = head
    const end = sizeBytes === 0 ? this.#bytes.sizeBytes : offset + sizeBytes
    const endOffset = Math.min(end, this.#bytes.sizeBytes)
    this.#offset = endOffset
    return { type, offset, bodyOffset: offset + headSizeBytes, endOffset, isCut: end > endOffset }
  }

  /** The content of a box. */
  read({ bodyOffset, endOffset }: TopBox): Promise<Buffer> {
    return this.#bytes.read(bodyOffset, endOffset - bodyOffset)
  }
}
