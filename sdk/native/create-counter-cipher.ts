import type { CounterCipher } from './counter-cipher.ts'
import { KeystreamCipher } from './keystream-cipher.ts'
import { loadLibcrypto, type Libcrypto } from './libcrypto.ts'
import { isNativeCounterRight, NativeCounter } from './native-counter.ts'

const KEY_SIZES_BYTES: readonly number[] = [16, 24, 32]

let native: Libcrypto | undefined
let isChecked = false

/**
 * Makes AES of 128, 192 or 256 bits in counter mode: by OpenSSL's own functions where they can be called, else by node:crypto.
 * @throws {RangeError} for a key that is not of 16, 24 or 32 bytes
 */
export function createCounterCipher(key: Buffer): CounterCipher {
  const libcrypto = checkedLibcrypto()
  if (libcrypto === undefined) return createKeystreamCipher(key)
  checkKey(key)
  return new NativeCounter(libcrypto, key)
}

/**
 * The same by node:crypto, whatever else this Node has.
 * @throws {RangeError} for a key that is not of 16, 24 or 32 bytes
 */
export function createKeystreamCipher(key: Buffer): CounterCipher {
  checkKey(key)
  return new KeystreamCipher(key)
}

function checkKey(key: Buffer): void {
  if (!KEY_SIZES_BYTES.includes(key.length)) throw new RangeError(`AES key of ${key.length} bytes`)
}

function checkedLibcrypto(): Libcrypto | undefined {
  if (isChecked) return native
  isChecked = true
  const libcrypto = loadLibcrypto()
  if (libcrypto !== undefined && KEY_SIZES_BYTES.every((size) => isNativeCounterRight(libcrypto, size))) {
    native = libcrypto
  }
  return native
}
