import { MalformedError } from 'sluice/sdk/media'

/** The meaning of a byte that has no value of 0–63. */
const NONE = 0xff
const BLANK = 0xfe
const PADDING = 0xfd
const VALUES = valuesOfBytes()

/**
 * Decodes base64 (RFC 4648 4) in whatever pieces it arrives. Clients of the tunnel encode each message by itself, so padding may come
 * anywhere, and a new group of four begins after it.
 */
export class Base64Decoder {
  /** The bits that have not been returned yet, fewer than 8. */
  #bits = 0
  #bitCount = 0
  /** Characters of the group of four that is being read. */
  #groupLength = 0

  /**
   * Decodes the next bytes and returns all that are complete; the input is not kept.
   * @throws {MalformedError} at a character that is not base64, or padding after less than a byte
   */
  push(bytes: Buffer): Buffer {
    const decoded = Buffer.allocUnsafe(Math.ceil((bytes.length * 3) / 4))
    let size = 0
    for (let at = 0; at < bytes.length; at += 1) {
      const value = VALUES[bytes[at]!]!
      if (value >= 64) {
        this.#takeOther(value, bytes[at]!)
        continue
      }
      this.#groupLength = (this.#groupLength + 1) & 3
      this.#bits = (this.#bits << 6) | value
      this.#bitCount += 6
      if (this.#bitCount < 8) continue
      this.#bitCount -= 8
      decoded[size] = this.#bits >>> this.#bitCount
      this.#bits &= (1 << this.#bitCount) - 1
      size += 1
    }
    return decoded.subarray(0, size)
  }

  #takeOther(value: number, byte: number): void {
    if (value === BLANK) return
    if (value === NONE) throw new MalformedError(`byte 0x${byte.toString(16)} in base64`)
    if (this.#groupLength === 1) throw new MalformedError('base64 that ends within a byte')
    this.#groupLength = 0
    this.#bits = 0
    this.#bitCount = 0
  }
}

function valuesOfBytes(): Uint8Array {
  const values = new Uint8Array(256).fill(NONE)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  for (let value = 0; value < alphabet.length; value += 1) values[alphabet.charCodeAt(value)] = value
  for (const blank of ' \t\r\n\0') values[blank.charCodeAt(0)] = BLANK
  values['='.charCodeAt(0)] = PADDING
  return values
}
