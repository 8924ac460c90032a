import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import {
  EVEN_KEY,
  ODD_KEY,
  serializeKeyMaterial,
  type KeyBytes,
  type KeyFlag,
  type KeyMaterial,
} from './key-material.ts'
import { unwrapKeys, wrapKeys } from './key-wrap.ts'

/** Keys of 16, 24 or 32 bytes that encrypt packets. */
export type StreamKeys = ReadonlyMap<KeyFlag, Buffer>

/** The derivation of a key from a passphrase (draft-sharabayko-srt-01 6.1.4). */
const ITERATIONS = 2048
const DIGEST = 'sha1'
/** The number of the salt's last bytes from which the key is derived. */
const DERIVED_SALT_BYTES = 8

const derive = promisify(pbkdf2)

/** The key encryption key, derived from a passphrase and a salt, which wraps the keys of packets. */
export class KeyEncryption {
  readonly salt: Buffer
  readonly keyBytes: KeyBytes
  readonly #kek: Buffer

  constructor(salt: Buffer, keyBytes: KeyBytes, kek: Buffer) {
    this.salt = salt
    this.keyBytes = keyBytes
    this.#kek = kek
  }

  /** Derives it in a thread of its own, which takes about a millisecond. */
  static async derive(passphrase: string, salt: Buffer, keyBytes: KeyBytes): Promise<KeyEncryption> {
    const kek = await derive(passphrase, salt.subarray(-DERIVED_SALT_BYTES), ITERATIONS, keyBytes, DIGEST)
    return new KeyEncryption(salt, keyBytes, kek)
  }

  /** True when the message has the same salt and key size, so that this key unwraps it if the passphrase is right. */
  fits({ salt, keyBytes }: KeyMaterial): boolean {
    return this.keyBytes === keyBytes && this.salt.equals(salt)
  }

  /** Returns the Key Material message that brings the keys. */
  wrap(keys: StreamKeys): Buffer {
    const flags = [EVEN_KEY, ODD_KEY].filter((flag) => keys.has(flag))
    const wrapped = wrapKeys(this.#kek, Buffer.concat(flags.map((flag) => keys.get(flag)!)))
    return serializeKeyMaterial({ salt: this.salt, keyBytes: this.keyBytes, flags, wrapped })
  }

  /** Returns the keys that a message brings; undefined when they were wrapped by another passphrase. */
  unwrap({ flags, keyBytes, wrapped }: KeyMaterial): StreamKeys | undefined {
    const keys = unwrapKeys(this.#kek, wrapped)
    if (keys === undefined) return undefined
    return new Map(flags.map((flag, index) => [flag, keys.subarray(index * keyBytes, (index + 1) * keyBytes)]))
  }
}
