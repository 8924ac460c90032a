import type { RecordingBytes } from 'sluice/sdk'

/** The size of a block. */
const BLOCK_SIZE_BYTES = 256 * 1024
/** The most blocks that are kept: tracks may lie apart, and each has its block and the next one. */
const MAX_BLOCKS = 16
const SHORTER = 'the file became shorter while it was played'

/** Reads pieces of a recording that lie close together by blocks, and the following block ahead of time. */
export class BlockReader {
  readonly #bytes: RecordingBytes
  /** The blocks by number, the last used ones at the end. */
  readonly #blocks = new Map<number, Buffer | Promise<Buffer>>()

  constructor(bytes: RecordingBytes) {
    this.#bytes = bytes
  }

  get sizeBytes(): number {
    return this.#bytes.sizeBytes
  }

  /**
   * Returns a copy of bytes that must lie within the recording, at once when they are in memory.
   * @throws {Error} when the recording has become shorter, or can't be read
   */
  read(offset: number, sizeBytes: number): Buffer | Promise<Buffer> {
    if (sizeBytes > BLOCK_SIZE_BYTES) return this.#readAll(offset, sizeBytes)
    const first = Math.floor(offset / BLOCK_SIZE_BYTES)
    const last = Math.floor((offset + sizeBytes - 1) / BLOCK_SIZE_BYTES)
    const blocks = [this.#block(first), ...(last > first ? [this.#block(last)] : [])]
    this.#readAhead(last + 1)
    const start = offset - first * BLOCK_SIZE_BYTES
    if (blocks.every((block) => Buffer.isBuffer(block))) return cut(blocks, start, sizeBytes)
    return Promise.all(blocks.map(async (block) => block)).then((loaded) => cut(loaded, start, sizeBytes))
  }

  async #readAll(offset: number, sizeBytes: number): Promise<Buffer> {
    const bytes = await this.#bytes.read(offset, sizeBytes)
    if (bytes.length < sizeBytes) throw new Error(SHORTER)
    return bytes
  }

  #block(number: number): Buffer | Promise<Buffer> {
    const known = this.#blocks.get(number)
    this.#blocks.delete(number)
    const block = known ?? this.#load(number)
    this.#blocks.set(number, block)
    if (this.#blocks.size > MAX_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!)
    return block
  }

  async #load(number: number): Promise<Buffer> {
    try {
      const block = await this.#bytes.read(number * BLOCK_SIZE_BYTES, BLOCK_SIZE_BYTES)
      if (this.#blocks.has(number)) this.#blocks.set(number, block)
      return block
    } catch (error) {
      this.#blocks.delete(number)
      throw error
    }
  }

  #readAhead(number: number): void {
    if (this.#blocks.has(number) || number * BLOCK_SIZE_BYTES >= this.#bytes.sizeBytes) return
    const block = this.#block(number)
    // An error is thrown when the block is needed and read again.
    if (!Buffer.isBuffer(block)) block.catch(() => {})
  }
}

/** A copy, so that a unit that is kept does not keep its block. */
function cut([first, next]: readonly Buffer[], start: number, sizeBytes: number): Buffer {
  const head = first?.subarray(start, start + sizeBytes) ?? Buffer.alloc(0)
  const rest = next?.subarray(0, sizeBytes - head.length) ?? Buffer.alloc(0)
  if (head.length + rest.length < sizeBytes) throw new Error(SHORTER)
  return Buffer.concat([head, rest])
}
