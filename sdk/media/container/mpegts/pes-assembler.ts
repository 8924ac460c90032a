import { MalformedError } from '../../errors.ts'
import { PES_PREFIX_SIZE_BYTES, pesPacketSize } from '../pes/header.ts'

const INITIAL_SIZE_BYTES = 4096

/**
 * Puts the PES packets of one PID together from the payloads of its TS packets. It keeps a buffer of at most the
 * largest packet, and gives copies out of it, so that a few bytes in each of many buffers do not keep those alive.
 */
export class PesAssembler {
  readonly #maxSizeBytes: number
  #buffer: Buffer = Buffer.alloc(0)
  #sizeBytes = 0
  /** The size of the whole packet; infinite when only the next one ends it. */
  #expectedBytes = Infinity
  #open = false

  /** @param maxSizeBytes The size of the largest packet; larger ones are dropped. */
  constructor(maxSizeBytes: number) {
    this.#maxSizeBytes = maxSizeBytes
  }

  /** True while a packet has begun and is not complete. */
  get open(): boolean {
    return this.#open
  }

  /** Begins a packet, which {@link finish} or {@link abort} must have ended before. */
  start(): void {
    this.#open = true
    this.#sizeBytes = 0
    this.#expectedBytes = Infinity
  }

  /**
   * Adds bytes to the packet that has begun.
   * @returns the packet when its length says that it is complete.
   * @throws {MalformedError} when the bytes are no packet, or one that is too large; it is dropped then.
   */
  push(payload: Buffer): Buffer | null {
    if (!this.#open) return null
    const lengthKnown = this.#sizeBytes >= PES_PREFIX_SIZE_BYTES
    this.#append(payload)
    if (!lengthKnown && this.#sizeBytes >= PES_PREFIX_SIZE_BYTES) {
      this.#open = false
      this.#expectedBytes = pesPacketSize(this.#buffer)
      this.#open = true
    }
    return this.#sizeBytes >= this.#expectedBytes ? this.#take(this.#expectedBytes) : null
  }

  /** Ends the open packet, and returns what has come of it: all of a packet that states no length. */
  finish(): Buffer | null {
    return this.#open ? this.#take(this.#sizeBytes) : null
  }

  /** Drops the open packet, as bytes of it are lost. */
  abort(): void {
    this.#open = false
  }

  #take(sizeBytes: number): Buffer {
    this.#open = false
    return Buffer.from(this.#buffer.subarray(0, sizeBytes))
  }

  #append(payload: Buffer): void {
    const sizeBytes = this.#sizeBytes + payload.length
    if (sizeBytes > this.#maxSizeBytes) {
      this.#open = false
      throw new MalformedError(`PES packet of more than ${this.#maxSizeBytes} bytes`)
    }
    if (sizeBytes > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(INITIAL_SIZE_BYTES, Math.min(2 * sizeBytes, this.#maxSizeBytes)))
      this.#buffer.copy(grown, 0, 0, this.#sizeBytes)
      this.#buffer = grown
    }
    payload.copy(this.#buffer, this.#sizeBytes)
    this.#sizeBytes = sizeBytes
  }
}
