/** The memory a message has at its start, whatever length its header announces; beyond it, memory grows with the bytes received. */
const INITIAL_CAPACITY_BYTES = 16 * 1024

/** Puts the payload of one message together from its chunks. */
export class PartialMessage {
  readonly #sizeBytes: number
  #bytes: Buffer
  #received = 0

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes
    this.#bytes = Buffer.allocUnsafe(Math.min(sizeBytes, INITIAL_CAPACITY_BYTES))
  }

  /** The memory held now, in bytes. */
  get capacityBytes(): number {
    return this.#bytes.length
  }

  get missingBytes(): number {
    return this.#sizeBytes - this.#received
  }

  /** The payload; whole once nothing is missing. */
  get bytes(): Buffer {
    return this.#bytes
  }

  /** Copies a part of `source`, which must not be more than is missing. */
  append(source: Buffer, start: number, end: number): void {
    const needed = this.#received + end - start
    if (needed > this.#bytes.length) this.#grow(needed)
    source.copy(this.#bytes, this.#received, start, end)
    this.#received = needed
  }

  #grow(needed: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#sizeBytes, needed * 2))
    this.#bytes.copy(grown, 0, 0, this.#received)
    this.#bytes = grown
  }
}
