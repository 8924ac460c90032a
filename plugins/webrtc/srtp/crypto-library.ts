import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import {
  AEAD_IV_BYTES,
  AEAD_TAG_BYTES,
  COUNTER_IV_BYTES,
  type AeadCipher,
  type CipherLibrary,
  type CounterCipher,
  type Mac,
} from './cipher-library.ts'
import type { PacketArena } from './srtp-context.ts'

const BLOCK_BYTES = 16
const WORDS_PER_BLOCK = 4

/** Encrypts by node:crypto, which every Node has. */
export const cryptoLibrary: CipherLibrary = {
  name: 'node:crypto',
  aead: (key, direction) => (direction === 'seal' ? new Sealer(key) : new Opener(key)),
  counter: (key) => new KeystreamCipher(key),
  mac: (key) => new CryptoMac(key),
}

class Sealer implements AeadCipher {
  readonly iv = Buffer.alloc(AEAD_IV_BYTES)
  readonly #key: KeyObject

  constructor(key: Buffer) {
    this.#key = createSecretKey(key)
  }

  crypt({ bytes }: PacketArena, clearAt: number, textAt: number, endAt: number): boolean {
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.iv)
    cipher.setAAD(bytes.subarray(clearAt, textAt))
    cipher.update(bytes.subarray(textAt, endAt)).copy(bytes, textAt)
    cipher.final()
    cipher.getAuthTag().copy(bytes, endAt)
    return true
  }

  close(): void {}
}

class Opener implements AeadCipher {
  readonly iv = Buffer.alloc(AEAD_IV_BYTES)
  readonly #key: KeyObject

  constructor(key: Buffer) {
    this.#key = createSecretKey(key)
  }

  crypt({ bytes }: PacketArena, clearAt: number, textAt: number, endAt: number): boolean {
    const cipher = createDecipheriv('aes-128-gcm', this.#key, this.iv, { authTagLength: AEAD_TAG_BYTES })
    cipher.setAAD(bytes.subarray(clearAt, textAt))
    cipher.setAuthTag(bytes.subarray(endAt, endAt + AEAD_TAG_BYTES))
    cipher.update(bytes.subarray(textAt, endAt)).copy(bytes, textAt)
    try {
      cipher.final()
      return true
    } catch {
      return false
    }
  }

  close(): void {}
}

/** Counter mode out of ECB: one cipher object serves all packets, while that of counter mode has its start for life. */
class KeystreamCipher implements CounterCipher {
  readonly iv = Buffer.alloc(COUNTER_IV_BYTES)
  readonly #cipher

  constructor(key: Buffer) {
    this.#cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  }

  crypt({ bytes }: PacketArena, textAt: number, endAt: number): void {
    if (textAt === endAt) return
    const keystream = this.#cipher.update(writeCounterBlocks(this.iv, endAt - textAt))
    for (let at = textAt; at < endAt; at++) bytes[at]! ^= keystream[at - textAt]!
  }

  close(): void {}
}

/** As long as the longest datagram so far, for all ciphers. */
let counterBlocks = new Uint32Array(128 * WORDS_PER_BLOCK)

function writeCounterBlocks(iv: Buffer, sizeBytes: number): Uint8Array {
  const words = Math.ceil(sizeBytes / BLOCK_BYTES) * WORDS_PER_BLOCK
  if (words > counterBlocks.length) counterBlocks = new Uint32Array(words)
  const blocks = new Uint8Array(counterBlocks.buffer, 0, words * 4)
  blocks.set(iv)
  const [first = 0, second = 0, third = 0] = counterBlocks
  for (let at = 0, block = 0; at < words; at += WORDS_PER_BLOCK, block++) {
    counterBlocks[at] = first
    counterBlocks[at + 1] = second
    counterBlocks[at + 2] = third
    const last = at * 4 + 12
    blocks[last] = iv[12]!
    blocks[last + 1] = iv[13]!
    blocks[last + 2] = block >> 8
    blocks[last + 3] = block
  }
  return blocks
}

class CryptoMac implements Mac {
  readonly #key: KeyObject

  constructor(key: Buffer) {
    this.#key = createSecretKey(key)
  }

  digest({ bytes }: PacketArena, from: number, to: number): Buffer {
    return createHmac('sha1', this.#key).update(bytes.subarray(from, to)).digest()
  }

  close(): void {}
}
