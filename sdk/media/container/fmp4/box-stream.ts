import { MalformedError } from '../../errors.ts'
import { parseBoxHead } from './box.ts'

/** Four times a few seconds of 4K at a high bitrate. */
export const MAX_BOX_SIZE_BYTES = 64 * 1024 * 1024
const MAX_HEAD_SIZE_BYTES = 16

/** A box at the top of a file; the bytes are a view of what came in, when that had the box in one piece. */
export type FileBox = {
  readonly type: string
  readonly offset: number
  readonly headSizeBytes: number
  readonly bytes: Buffer
}

/** Cuts a file that comes in pieces into its boxes. */
export class BoxStream {
  #pieces: Buffer[] = []
  #sizeBytes = 0
  /** The number of bytes that must be there before the next box can be read. */
  #neededBytes = 0
  #offset = 0

  /** Begins another file, and returns the number of bytes left of the last. */
  restart(): number {
    const left = this.#sizeBytes
    this.#pieces = []
    this.#sizeBytes = this.#neededBytes = this.#offset = 0
    return left
  }

  /**
   * Takes the next bytes, and yields the boxes that are complete now.
   * @throws {MalformedError} for a box of more than {@link MAX_BOX_SIZE_BYTES}.
   */
  *push(bytes: Buffer): Generator<FileBox> {
    this.#pieces.push(bytes)
    this.#sizeBytes += bytes.length
    if (this.#sizeBytes < this.#neededBytes) return
    let rest = this.#pieces.length === 1 ? bytes : Buffer.concat(this.#pieces)
    for (;;) {
      const head = parseBoxHead(rest)
      if (head && (head.sizeBytes === 0 || head.sizeBytes > MAX_BOX_SIZE_BYTES)) {
        throw new MalformedError(`box '${head.type}' of ${head.sizeBytes} bytes at byte ${this.#offset}`)
      }
      this.#neededBytes = head ? head.sizeBytes : MAX_HEAD_SIZE_BYTES
      if (head === null || rest.length < head.sizeBytes) break
      const { type, headSizeBytes, sizeBytes } = head
      const offset = this.#offset
      this.#offset += sizeBytes
      const box = rest.subarray(0, sizeBytes)
      rest = rest.subarray(sizeBytes)
      yield { type, offset, headSizeBytes, bytes: box }
    }
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#sizeBytes = rest.length
    // The rest of a head may be shorter than the longest.
    if (this.#neededBytes === MAX_HEAD_SIZE_BYTES) this.#neededBytes = 0
  }
}
