import { MalformedError } from '../errors.ts'

/** The largest frame of sound that is put together, far above what the codecs make. */
const MAX_AUDIO_FRAME_SIZE_BYTES = 64 * 1024

/** The pieces of a frame of sound that several packets carry. They are kept, not copied. */
export class Fragments {
  #parts: Buffer[] = []
  #sizeBytes = 0
  #timestamp = 0

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The RTP time of the first piece. */
  get timestamp(): number {
    return this.#timestamp
  }

  /**
   * Adds the next piece.
   * @throws {MalformedError} when the frame gets larger than `MAX_AUDIO_FRAME_SIZE_BYTES`, and all pieces are given up
   */
  add(part: Buffer, timestamp: number): void {
    if (this.#parts.length === 0) this.#timestamp = timestamp
    this.#sizeBytes += part.length
    this.#parts.push(part)
    if (this.#sizeBytes > MAX_AUDIO_FRAME_SIZE_BYTES || this.#parts.length > MAX_AUDIO_FRAME_SIZE_BYTES) {
      const { sizeBytes } = this
      this.clear()
      throw new MalformedError(`fragments of ${sizeBytes} bytes are more than ${MAX_AUDIO_FRAME_SIZE_BYTES}`)
    }
  }

  /** The frame so far; nothing is left. */
  take(): Buffer {
    const [first, ...others] = this.#parts
    const data = first && others.length === 0 ? first : Buffer.concat(this.#parts, this.#sizeBytes)
    this.clear()
    return data
  }

  clear(): void {
    if (this.#parts.length > 0) this.#parts = []
    this.#sizeBytes = 0
  }
}
