import { createCipheriv } from 'node:crypto'
import type { CounterCipher } from './counter-cipher.ts'
import type { Libcrypto, NativeContext } from './libcrypto.ts'
import { bigintOf, createPacketArena, type PacketArena } from './packet-arena.ts'

const NULL = 0n
/** The direction of EVP_CipherInit_ex that keeps the one before: -1 as an `int`. */
const SAME_DIRECTION = 0xffff_ffffn
const COUNTER_IV_BYTES = 16
/** The bytes of an IV that count no blocks. */
const NONCE_BYTES = 14
/** More blocks than a byte counts, and a part of one. */
const CHECKED_BYTES = 257 * 16 + 5

/** Encrypts by OpenSSL's own functions, with a context that is kept. */
export class NativeCounter implements CounterCipher {
  readonly iv: DataView
  readonly #libcrypto: Libcrypto
  readonly #context: NativeContext
  readonly #functions: Libcrypto['functions']
  readonly #pointer: bigint
  readonly #ivPointer: bigint
  readonly #sizePointer: bigint

  /** @param key 16, 24 or 32 bytes */
  constructor(libcrypto: Libcrypto, key: Buffer) {
    this.iv = new DataView(libcrypto.iv.buffer, libcrypto.iv.byteOffset, COUNTER_IV_BYTES)
    this.#libcrypto = libcrypto
    this.#functions = libcrypto.functions
    this.#ivPointer = libcrypto.ivPointer
    this.#sizePointer = libcrypto.sizePointer
    this.#context = libcrypto.createCipherContext(this, cipherOf(libcrypto, key.length), key, 'encrypt')
    this.#pointer = this.#context.pointer
  }

  crypt(arena: PacketArena, textAt: number, endAt: number): void {
    const context = this.#pointer
    const text = arena.pointerTo(textAt)
    const { EVP_CipherInit_ex: init, EVP_CipherUpdate: update } = this.#functions
    const succeeded =
      init(context, NULL, NULL, NULL, this.#ivPointer, SAME_DIRECTION) === 1 &&
      update(context, text, this.#sizePointer, text, bigintOf(endAt - textAt)) === 1
    // A packet that stayed in the clear must not leave.
    if (!succeeded) throw this.#libcrypto.failure('AES in counter mode')
  }

  finish(): void {}

  close(): void {
    this.#context.free()
  }
}

function cipherOf({ functions }: Libcrypto, keyBytes: number): bigint {
  if (keyBytes === 16) return functions.EVP_aes_128_ctr()
  return keyBytes === 24 ? functions.EVP_aes_192_ctr() : functions.EVP_aes_256_ctr()
}

/** Returns true when two texts by one context, the same but for their IVs, equal the output of node:crypto. */
export function isNativeCounterRight(libcrypto: Libcrypto, keyBytes: number): boolean {
  const key = Buffer.alloc(keyBytes, 1)
  try {
    const cipher = new NativeCounter(libcrypto, key)
    const areSame = [2, 3].every((filler) => {
      const iv = Buffer.alloc(COUNTER_IV_BYTES).fill(filler, 0, NONCE_BYTES)
      for (const [at, byte] of iv.entries()) cipher.iv.setUint8(at, byte)
      const arena = createPacketArena(CHECKED_BYTES)
      cipher.crypt(arena, 0, CHECKED_BYTES)
      const expected = createCipheriv(`aes-${keyBytes * 8}-ctr`, key, iv).update(Buffer.alloc(CHECKED_BYTES))
      return expected.equals(arena.bytes)
    })
    cipher.close()
    return areSame
  } catch {
    return false
  }
}
