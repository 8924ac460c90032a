import { createCipheriv } from 'node:crypto'
import type { SrtpKeys } from './srtp-context.ts'

/** The keys that protect packets of one kind and direction. */
export type SessionKeys = {
  /** 16 bytes. */
  readonly cipherKey: Buffer
  /** 12 bytes for GCM, else 14. */
  readonly salt: Buffer
  /** 20 bytes; empty for GCM. */
  readonly authKey: Buffer
}

/** The labels of the keys (RFC 3711 4.3.1, 4.3.2). */
const LABELS = {
  rtp: { cipher: 0, auth: 1, salt: 2 },
  rtcp: { cipher: 3, auth: 4, salt: 5 },
}
const MASTER_KEY_BYTES = 16
const SALT_BYTES = { SRTP_AEAD_AES_128_GCM: 12, SRTP_AES128_CM_HMAC_SHA1_80: 14 }
const CIPHER_KEY_BYTES = 16
const AUTH_KEY_BYTES = 20
const LABEL_AT = 7
const COUNTER_BYTES = 16

/**
 * Derives the keys of packets from those of the handshake (RFC 3711 4.3, RFC 7714 11), at a derivation rate of 0.
 * @throws {RangeError} for keys of another size
 */
export function deriveSessionKeys(keys: SrtpKeys, kind: 'rtp' | 'rtcp'): SessionKeys {
  const saltSizeBytes = SALT_BYTES[keys.profile]
  if (keys.masterKey.length !== MASTER_KEY_BYTES || keys.masterSalt.length !== saltSizeBytes) {
    throw new RangeError(`SRTP key of ${keys.masterKey.length} bytes, salt of ${keys.masterSalt.length} bytes`)
  }
  const labels = LABELS[kind]
  return {
    cipherKey: derive(keys, labels.cipher, CIPHER_KEY_BYTES),
    salt: derive(keys, labels.salt, saltSizeBytes),
    authKey: derive(keys, labels.auth, AUTH_KEY_BYTES),
  }
}

/** AES-CM as a pseudo-random function (RFC 3711 4.3.3); a salt of 12 bytes is filled up with zeroes (RFC 7714 11). */
function derive({ masterKey, masterSalt }: SrtpKeys, label: number, sizeBytes: number): Buffer {
  const counter = Buffer.alloc(COUNTER_BYTES)
  masterSalt.copy(counter)
  counter[LABEL_AT]! ^= label
  return createCipheriv('aes-128-ctr', masterKey, counter).update(Buffer.alloc(sizeBytes))
}
