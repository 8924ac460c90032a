import { createCounterCipher, type CounterCipher, type PacketArena } from 'sluice/sdk'

/** Encrypts and decrypts the payloads of data packets with one key (draft-sharabayko-srt-01 6.2.2). */
export class PacketCipher {
  readonly #key: Buffer
  readonly #salt: Buffer
  readonly #cipher: CounterCipher
  readonly #salt0: number
  readonly #salt1: number
  readonly #salt2: number
  readonly #salt3: number

  /** @param salt 16 bytes, of which the first 14 count */
  constructor(key: Buffer, salt: Buffer) {
    this.#key = key
    this.#salt = salt
    this.#cipher = createCounterCipher(key)
    this.#salt0 = salt.readInt32BE(0)
    this.#salt1 = salt.readInt32BE(4)
    this.#salt2 = salt.readInt32BE(8)
    this.#salt3 = salt.readUInt16BE(12) << 16
  }

  isOf(key: Buffer, salt: Buffer): boolean {
    return this.#key.equals(key) && this.#salt.equals(salt)
  }

  /**
   * Encrypts or decrypts in place, at once or when `finish` is called. All between two such calls lie in one arena.
   * The IV is the packet's sequence number in its bytes 10 to 13 combined with the salt, before the count of blocks.
   */
  crypt(arena: PacketArena, sequence: number, textAt: number, endAt: number): void {
    const { iv } = this.#cipher
    iv.setInt32(0, this.#salt0)
    iv.setInt32(4, this.#salt1)
    iv.setInt32(8, this.#salt2 ^ (sequence >>> 16))
    iv.setInt32(12, this.#salt3 ^ (sequence << 16))
    this.#cipher.crypt(arena, textAt, endAt)
  }

  /** Does the work that `crypt` has put off. */
  finish(): void {
    this.#cipher.finish()
  }

  /** Frees it, after the work put off was done. Idempotent; it must not be used afterwards. */
  close(): void {
    this.#cipher.finish()
    this.#cipher.close()
  }
}
