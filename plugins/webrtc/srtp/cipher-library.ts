import type { CounterCipher, PacketArena } from 'sluice/sdk'
import type { SrtpProfile } from './srtp-context.ts'

/** AES-128-GCM with one key, in one direction. */
export interface AeadCipher {
  /** 12 bytes, written before each call; it may belong to all ciphers of the library. */
  readonly iv: DataView
  /**
   * Encrypts or decrypts the bytes from `textAt` to `endAt` in place, and authenticates them with those from `clearAt` to `textAt`. The tag
   * of 16 bytes is written to `endAt`, or compared with the bytes there.
   * @returns false for a wrong tag; the text is of no use then
   */
  crypt(arena: PacketArena, clearAt: number, textAt: number, endAt: number): boolean
  /** Frees it. Idempotent; it must not be used afterwards. */
  close(): void
}

/** HMAC-SHA1 with one key. */
export interface Mac {
  /** Returns 20 bytes, valid until the next call. */
  digest(arena: PacketArena, from: number, to: number): Buffer
  /** Frees it. Idempotent; it must not be used afterwards. */
  close(): void
}

/** An implementation of the ciphers. */
export interface CipherLibrary {
  readonly name: 'node:ffi' | 'node:crypto'
  /** The profiles, the one with the least work first. */
  readonly profiles: readonly SrtpProfile[]
  aead(key: Buffer, direction: 'seal' | 'open'): AeadCipher
  /** AES-128 in counter mode. */
  counter(key: Buffer): CounterCipher
  mac(key: Buffer): Mac
}

/** The tag of AES-GCM (RFC 7714 13.1). */
export const AEAD_TAG_BYTES = 16
export const AEAD_IV_BYTES = 12
export const MAC_BYTES = 20
