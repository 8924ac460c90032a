import { MalformedError } from '../errors.ts'

/** The largest value of ue(v): 31 leading zeros (ISO/IEC 14496-10 9.1). */
const MAX_UE = 2 ** 32 - 2

/** Reads bits, most significant first. Borrows the bytes and never changes them. */
export class BitReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The number of bits that are still unread. */
  get bitsLeft(): number {
    return this.#bytes.length * 8 - this.#position
  }

  /** The number of bits that were read. */
  get position(): number {
    return this.#position
  }

  /**
   * Reads an unsigned number of up to 32 bits.
   * @throws {MalformedError} past the end, as all other reads here.
   */
  readBits(count: number): number {
    this.#need(count)
    let value = 0
    for (let left = count; left > 0;) {
      const used = this.#position & 7
      const take = Math.min(8 - used, left)
      const bits = (this.#bytes[this.#position >>> 3]! >>> (8 - used - take)) & ((1 << take) - 1)
      value = value * (1 << take) + bits
      this.#position += take
      left -= take
    }
    return value
  }

  /** Another reader of the same bytes, at the same bit. */
  fork(): BitReader {
    const other = new BitReader(this.#bytes)
    other.#position = this.#position
    return other
  }

  readFlag(): boolean {
    return this.readBits(1) === 1
  }

  skipBits(count: number): void {
    this.#need(count)
    this.#position += count
  }

  /** Reads whole bytes: a view where they lie on byte boundaries, otherwise a copy. */
  readBytes(count: number): Buffer {
    this.#need(count * 8)
    const start = this.#position >>> 3
    const shift = this.#position & 7
    this.#position += count * 8
    if (shift === 0) return this.#bytes.subarray(start, start + count)
    const bytes = Buffer.allocUnsafe(count)
    for (let index = 0; index < count; index += 1) {
      bytes[index] = (this.#bytes[start + index]! << shift) | (this.#bytes[start + index + 1]! >>> (8 - shift))
    }
    return bytes
  }

  /** Skips to the next byte boundary; does nothing on one. */
  alignToByte(): void {
    this.#position = (this.#position + 7) & ~7
  }

  /** Reads ue(v), an unsigned Exp-Golomb number (ISO/IEC 14496-10 9.1), and refuses one above `max`. */
  readUe(max = MAX_UE): number {
    const start = this.#position
    let zeros = 0
    while (!this.readFlag()) {
      zeros += 1
      if (zeros > 31) throw new MalformedError(`Exp-Golomb number longer than 63 bits at bit ${start}`)
    }
    const value = 2 ** zeros - 1 + this.readBits(zeros)
    if (value > max) throw new MalformedError(`Exp-Golomb number ${value} at bit ${start} is above its limit of ${max}`)
    return value
  }

  /** Reads se(v), a signed Exp-Golomb number (ISO/IEC 14496-10 9.1.1). */
  readSe(): number {
    const code = this.readUe()
    return code % 2 === 1 ? (code + 1) / 2 : 0 - code / 2
  }

  #need(count: number): void {
    if (count > this.bitsLeft) {
      throw new MalformedError(`${count} bits needed at bit ${this.#position}, ${this.bitsLeft} left`)
    }
  }
}
