import { MalformedError } from '../../errors.ts'
import { PES_PREFIX_SIZE_BYTES, pesPacketSize } from './pes-header.ts'

const INITIAL_SIZE_BYTES = 4096

/**
 * Puts the PES packets of one PID together from the payloads of its TS packets. It keeps a buffer of at most the
 * largest packet, and gives copies out of it, so that a few bytes in each of many buffers do not keep those alive.
 */
export class PesAssembler {
  readonly #maxSizeBytes: number
  #buffer: Buffer = Buffer.alloc(0)
  #sizeBytes = 0
  /** Of the whole packet; infinite when the next one ends it. */
  #expectedBytes = Infinity
  #open = false

  /** @param maxSizeBytes Of a packet; a larger one is dropped. */
  constructor(maxSizeBytes: number) {
    this.#maxSizeBytes = maxSizeBytes
  }

  /** A packet has begun and is not complete. */
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
   * @throws {MalformedError} when it is none, or too large; it is dropped then.
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

  /** Gives what has come of the packet that is open, which is all of one that does not tell its length. */
  finish(): Buffer | null {
    return this.#open ? this.#take(this.#sizeBytes) : null
  }

  /** Drops the packet that is open: bytes of it are lost. */
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
