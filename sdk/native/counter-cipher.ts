import type { PacketArena } from './packet-arena.ts'

/** AES in counter mode with one key: the same in both directions. */
export interface CounterCipher {
  /** 16 bytes, written before each call, the last two 0; it may belong to all ciphers. */
  readonly iv: DataView
  /**
   * Encrypts or decrypts in place, at once or when `finish` is called. All between two such calls lie in one arena.
   * @throws {Error} when OpenSSL refuses; the text stayed as it was
   */
  crypt(arena: PacketArena, textAt: number, endAt: number): void
  /** Does what `crypt` has put off. */
  finish(): void
  /** Frees it, and forgets what was put off. Idempotent; it must not be used afterwards. */
  close(): void
}
