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

  /** Writes one bit. */
  writeFlag(flag: boolean): void {
    this.writeBits(flag ? 1 : 0, 1)
  }

  /** Writes ue(v), an unsigned Exp-Golomb number (ISO/IEC 14496-10 9.1) of at most 2^32 - 2. */
  writeUe(value: number): void {
    const bits = 32 - Math.clz32(value + 1)
    this.writeBits(0, bits - 1)
    this.writeBits(value + 1, bits)
  }

  /** Writes se(v), a signed Exp-Golomb number (9.1.1). */
  writeSe(value: number): void {
    this.writeUe(value > 0 ? 2 * value - 1 : -2 * value)
  }

  /** Fills up to the next byte boundary with zeros; does nothing on one. */
  alignToByte(): void {
    this.#position = this.#bytes.length * 8
  }

  /** Returns what was written, filled up to a whole byte with zeros. */
  toBuffer(): Buffer {
    return Buffer.from(this.#bytes)
  }
}
