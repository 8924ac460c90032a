const FIRST_BLOCK_SIZE_BYTES = 1024
const MAX_BLOCK_SIZE_BYTES = 256 * 1024

/** Fields of four bytes as boxes have them, in blocks that are never copied: there may be millions. */
export class FieldTable {
  readonly #full: Buffer[] = []
  #block: Buffer = Buffer.allocUnsafeSlow(FIRST_BLOCK_SIZE_BYTES)
  #usedBytes = 0
  #count = 0

  /** The number of its fields. */
  get count(): number {
    return this.#count
  }

  /** Views of all fields, in their order. */
  get pieces(): readonly Buffer[] {
    return [...this.#full, this.#block.subarray(0, this.#usedBytes)]
  }

  /** Adds a field; a negative one is written as its complement of two. */
  push(value: number): void {
    if (this.#usedBytes === this.#block.length) this.#grow()
    this.#usedBytes = this.#block.writeUInt32BE(value >>> 0, this.#usedBytes)
    this.#count++
  }

  #grow(): void {
    this.#full.push(this.#block)
    this.#block = Buffer.allocUnsafeSlow(Math.min(this.#block.length * 2, MAX_BLOCK_SIZE_BYTES))
    this.#usedBytes = 0
  }
}
