import { MalformedError } from '../errors.ts'

/** Reads whole bytes, most significant first. Borrows the bytes; what it gives back are views. */
export class ByteReader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get bytesLeft(): number {
    return this.#bytes.length - this.#position
  }

  /**
   * Reads an unsigned number of up to 6 bytes.
   * @throws {MalformedError} past the end, as all other reads here.
   */
  readUint(size: number): number {
    this.#need(size)
    const value = this.#bytes.readUIntBE(this.#position, size)
    this.#position += size
    return value
  }

  readBytes(size: number): Buffer {
    this.#need(size)
    return this.#bytes.subarray(this.#position, (this.#position += size))
  }

  #need(size: number): void {
    if (size > this.bytesLeft) {
      throw new MalformedError(`${size} bytes needed at byte ${this.#position}, ${this.bytesLeft} left`)
    }
  }
}
