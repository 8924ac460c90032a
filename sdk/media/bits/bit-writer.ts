/** Writes bits, most significant first, into a buffer that grows as needed. */
export class BitWriter {
  readonly #bytes: number[] = []
  #position = 0

  /** Writes the low `count` (at most 32) bits of an unsigned number. */
  writeBits(value: number, count: number): void {
    for (let left = count; left > 0;) {
      const used = this.#position & 7
      if (used === 0) this.#bytes.push(0)
      const take = Math.min(8 - used, left)
      const bits = Math.floor(value / 2 ** (left - take)) & ((1 << take) - 1)
      this.#bytes[this.#bytes.length - 1]! |= bits << (8 - used - take)
      this.#position += take
      left -= take
    }
  }

  writeFlag(flag: boolean): void {
    this.writeBits(flag ? 1 : 0, 1)
  }

  /** Fills up to the next byte boundary with zeros; does nothing on one. */
  alignToByte(): void {
    this.#position = this.#bytes.length * 8
  }

  /** What was written, filled up to a whole byte with zeros. */
  toBuffer(): Buffer {
    return Buffer.from(this.#bytes)
  }
}
