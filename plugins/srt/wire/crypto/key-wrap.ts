import { createCipheriv, createDecipheriv } from 'node:crypto'

/** The value that proves that a key was unwrapped with the right one (RFC 3394 2.2.3.1). */
const INITIAL_VALUE = Buffer.alloc(8, 0xa6)

/** The number of bytes by which keys grow when they are wrapped (RFC 3394 2.2.1). */
export const WRAP_OVERHEAD_BYTES = INITIAL_VALUE.length

/**
 * Wraps keys by AES (RFC 3394 2.2.1).
 * @param kek the key encryption key, 16, 24 or 32 bytes
 * @param keys a multiple of 8 bytes, at least 16
 */
export function wrapKeys(kek: Buffer, keys: Buffer): Buffer {
  const cipher = createCipheriv(algorithmOf(kek), kek, INITIAL_VALUE)
  return Buffer.concat([cipher.update(keys), cipher.final()])
}

/** Unwraps keys (RFC 3394 2.2.2); undefined when they were wrapped by another key, or changed since. */
export function unwrapKeys(kek: Buffer, wrapped: Buffer): Buffer | undefined {
  const decipher = createDecipheriv(algorithmOf(kek), kek, INITIAL_VALUE)
  try {
    return Buffer.concat([decipher.update(wrapped), decipher.final()])
  } catch {
    return undefined
  }
}

function algorithmOf(kek: Buffer): string {
  return `aes${kek.length * 8}-wrap`
}
