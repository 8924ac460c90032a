/** Bytes that come in pieces, put together. */
export class GatheredBytes {
  readonly #maxSizeBytes: number
  #bytes: Buffer
  #sizeBytes = 0

  /**
   * @param maxSizeBytes the most bytes it takes
   * @param capacityBytes the memory it has at the start; beyond it, memory grows with the bytes received
   */
  constructor(maxSizeBytes: number, capacityBytes: number) {
    this.#maxSizeBytes = maxSizeBytes
    this.#bytes = Buffer.allocUnsafe(Math.min(maxSizeBytes, capacityBytes))
  }

  get missingBytes(): number {
    return this.#maxSizeBytes - this.#sizeBytes
  }

  /** The bytes that have come so far, as a view. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#sizeBytes)
  }

  /** Copies a part of `source`, which must not be more than is missing. */
  append(source: Buffer, start: number, end: number): void {
    const needed = this.#sizeBytes + end - start
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#maxSizeBytes, needed * 2))
      this.#bytes.copy(grown, 0, 0, this.#sizeBytes)
      this.#bytes = grown
    }
    source.copy(this.#bytes, this.#sizeBytes, start, end)
    this.#sizeBytes = needed
  }
}
