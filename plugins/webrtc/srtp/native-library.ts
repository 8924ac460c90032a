import { createCipheriv } from 'node:crypto'
import { loadFfi } from 'sluice/sdk'
import {
  AEAD_IV_BYTES,
  AEAD_TAG_BYTES,
  COUNTER_IV_BYTES,
  MAC_BYTES,
  type AeadCipher,
  type CipherLibrary,
  type CounterCipher,
  type Mac,
} from './cipher-library.ts'
import { AeadParameters } from './aead-parameters.ts'
import { bigintOf, createPacketArena } from './packet-arena.ts'
import type { PacketArena } from './srtp-context.ts'

/** Directions of EVP_CipherInit_ex: the last is -1 as an `int`. */
const DECRYPT = 0n
const ENCRYPT = 1n
const SAME_DIRECTION = 0xffff_ffffn
const NULL = 0n

/** Where `OSSL_PARAM` has its fields as {@link AeadParameters} writes them. */
const KNOWN_ARCHITECTURES = new Set(['x64', 'arm64'])

/** What all ciphers use for the time of one call: IV, sizes and digests, and a key while its context is made. */
const IV_AT = 0
const SIZE_AT = 64
const OUTPUT_AT = 128
const KEY_AT = 192
const FIXED_BYTES = 256

/** Of the packets by which the library is checked. */
const KEY_BYTES = 16
const CHECKED_CLEAR_BYTES = 12
const CHECKED_BYTES = 60

/**
 * Functions of libcrypto, which is part of the node program; OpenSSL 3 has them all. Where all arguments are pointers, node:ffi
 * calls by compiled code, in a twentieth of the time that others take. So numbers are declared as such, too: x86-64 and ARM64
 * have both in the same registers, of which an `int` is the lower half.
 */
const DEFINITIONS = {
  EVP_CIPHER_CTX_new: { return: 'pointer', arguments: [] },
  EVP_CIPHER_CTX_free: { return: 'void', arguments: ['pointer'] },
  EVP_CIPHER_CTX_set_params: { return: 'i32', arguments: ['pointer', 'pointer'] },
  EVP_CIPHER_CTX_get_params: { return: 'i32', arguments: ['pointer', 'pointer'] },
  EVP_CipherInit_ex: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'pointer', 'pointer'] },
  EVP_CipherUpdate: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'pointer'] },
  EVP_CipherFinal_ex: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer'] },
  EVP_aes_128_gcm: { return: 'pointer', arguments: [] },
  EVP_aes_128_ctr: { return: 'pointer', arguments: [] },
  EVP_sha1: { return: 'pointer', arguments: [] },
  HMAC_CTX_new: { return: 'pointer', arguments: [] },
  HMAC_CTX_free: { return: 'void', arguments: ['pointer'] },
  HMAC_Init_ex: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'pointer'] },
  HMAC_Update: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer'] },
  HMAC_Final: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer'] },
  ERR_clear_error: { return: 'void', arguments: [] },
} as const

type Functions = ReturnType<typeof bind>

/** Memory that stays where it is, and the functions: the same for all contexts. */
type Libcrypto = {
  readonly functions: Functions
  readonly fixed: Buffer
  readonly pointer: bigint
  readonly parameters: AeadParameters
}

/** Encrypts by OpenSSL's own functions with contexts that are kept; undefined where they cannot be called. */
export function loadNativeLibrary(): CipherLibrary | undefined {
  const ffi = KNOWN_ARCHITECTURES.has(process.arch) ? loadFfi() : undefined
  if (ffi === undefined) return undefined
  try {
    const memory = new ArrayBuffer(FIXED_BYTES)
    const pointer = ffi.getRawPointer(memory)
    const parameters = new AeadParameters(ffi, pointer + BigInt(IV_AT))
    const libcrypto = { functions: bind(ffi), fixed: Buffer.from(memory), pointer, parameters }
    if (!isRight(libcrypto)) return undefined
    return {
      name: 'node:ffi',
      profiles: ['SRTP_AEAD_AES_128_GCM', 'SRTP_AES128_CM_HMAC_SHA1_80'],
      aead: (key, direction) => new NativeAead(libcrypto, key, direction),
      counter: (key) => new NativeCounter(libcrypto, key),
      mac: (key) => new NativeMac(libcrypto, key),
    }
  } catch {
    // A Node that is linked to a libcrypto of its system, or to another library.
    return undefined
  }
}

function bind(ffi: NonNullable<ReturnType<typeof loadFfi>>) {
  return ffi.dlopen(null, DEFINITIONS).functions
}

/**
 * Whether two packets by one context, the same but for their IVs, come out as node:crypto has them: how OpenSSL takes an IV
 * and gives a tag is not the same in all of its versions.
 */
function isRight(libcrypto: Libcrypto): boolean {
  const key = Buffer.alloc(KEY_BYTES, 1)
  const arena = createPacketArena(CHECKED_BYTES + AEAD_TAG_BYTES)
  const { bytes } = arena
  const cipher = new NativeAead(libcrypto, key, 'seal')
  const areSame = [2, 3].every((filler) => {
    const iv = Buffer.alloc(AEAD_IV_BYTES, filler)
    const expected = createCipheriv('aes-128-gcm', key, iv).setAAD(Buffer.alloc(CHECKED_CLEAR_BYTES))
    bytes.fill(0)
    for (const [at, byte] of iv.entries()) cipher.iv.setUint8(at, byte)
    const succeeded = cipher.crypt(arena, 0, CHECKED_CLEAR_BYTES, CHECKED_BYTES)
    const text = expected.update(Buffer.alloc(CHECKED_BYTES - CHECKED_CLEAR_BYTES))
    expected.final()
    return succeeded && Buffer.concat([text, expected.getAuthTag()]).equals(bytes.subarray(CHECKED_CLEAR_BYTES))
  })
  cipher.close()
  return areSame
}

/** A context of OpenSSL: freed by `close`, or after its owner was collected. */
class Context {
  readonly pointer: bigint
  readonly #free: (pointer: bigint) => void

  constructor(pointer: bigint, free: (pointer: bigint) => void, owner: object) {
    if (pointer === NULL) throw new Error('OpenSSL has no memory for another context')
    this.pointer = pointer
    this.#free = free
    forgotten.register(owner, this, this)
  }

  /** Frees it, once: the registry does not know it any more afterwards. */
  free(): void {
    if (forgotten.unregister(this)) this.#free(this.pointer)
  }

  freeForgotten(): void {
    this.#free(this.pointer)
  }
}

const forgotten = new FinalizationRegistry<Context>((context) => context.freeForgotten())

class NativeAead implements AeadCipher {
  readonly iv: DataView
  readonly #functions: Functions
  readonly #parameters: AeadParameters
  readonly #context: Context
  readonly #pointer: bigint
  readonly #sizePointer: bigint
  readonly #outputPointer: bigint
  readonly #isSealing: boolean

  constructor(libcrypto: Libcrypto, key: Buffer, direction: 'seal' | 'open') {
    const { functions, fixed, pointer, parameters } = libcrypto
    this.iv = new DataView(fixed.buffer, IV_AT, AEAD_IV_BYTES)
    this.#functions = functions
    this.#parameters = parameters
    this.#sizePointer = pointer + BigInt(SIZE_AT)
    this.#outputPointer = pointer + BigInt(OUTPUT_AT)
    this.#isSealing = direction === 'seal'
    this.#context = new Context(functions.EVP_CIPHER_CTX_new(), functions.EVP_CIPHER_CTX_free, this)
    this.#pointer = this.#context.pointer
    initCipher(libcrypto, this.#pointer, functions.EVP_aes_128_gcm(), key, this.#isSealing ? ENCRYPT : DECRYPT)
  }

  crypt(arena: PacketArena, clearAt: number, textAt: number, endAt: number): boolean {
    const functions = this.#functions
    const parameters = this.#parameters
    const context = this.#pointer
    const size = this.#sizePointer
    const clear = arena.pointerTo(clearAt)
    const text = arena.pointerTo(textAt)
    parameters.setTag(arena.address + endAt)
    const before = this.#isSealing ? parameters.iv : parameters.tagAndIv
    const succeeded =
      functions.EVP_CIPHER_CTX_set_params(context, before) === 1 &&
      functions.EVP_CipherUpdate(context, NULL, size, clear, bigintOf(textAt - clearAt)) === 1 &&
      functions.EVP_CipherUpdate(context, text, size, text, bigintOf(endAt - textAt)) === 1 &&
      functions.EVP_CipherFinal_ex(context, this.#outputPointer, size) === 1 &&
      (!this.#isSealing || functions.EVP_CIPHER_CTX_get_params(context, parameters.tag) === 1)
    // TLS connections of this thread take an error that is left in OpenSSL's queue for their own.
    if (!succeeded) functions.ERR_clear_error()
    return succeeded
  }

  close(): void {
    this.#context.free()
  }
}

class NativeCounter implements CounterCipher {
  readonly iv: DataView
  readonly #functions: Functions
  readonly #context: Context
  readonly #pointer: bigint
  readonly #ivPointer: bigint
  readonly #sizePointer: bigint

  constructor(libcrypto: Libcrypto, key: Buffer) {
    const { functions, fixed, pointer } = libcrypto
    this.iv = new DataView(fixed.buffer, IV_AT, COUNTER_IV_BYTES)
    this.#functions = functions
    this.#ivPointer = pointer + BigInt(IV_AT)
    this.#sizePointer = pointer + BigInt(SIZE_AT)
    this.#context = new Context(functions.EVP_CIPHER_CTX_new(), functions.EVP_CIPHER_CTX_free, this)
    this.#pointer = this.#context.pointer
    initCipher(libcrypto, this.#pointer, functions.EVP_aes_128_ctr(), key, ENCRYPT)
  }

  crypt(arena: PacketArena, textAt: number, endAt: number): void {
    const context = this.#pointer
    const text = arena.pointerTo(textAt)
    const { EVP_CipherInit_ex: init, EVP_CipherUpdate: update } = this.#functions
    const succeeded =
      init(context, NULL, NULL, NULL, this.#ivPointer, SAME_DIRECTION) === 1 &&
      update(context, text, this.#sizePointer, text, bigintOf(endAt - textAt)) === 1
    // A packet that stayed in the clear must not leave.
    if (!succeeded) throw failed(this.#functions, 'AES in counter mode')
  }

  finish(): void {}

  close(): void {
    this.#context.free()
  }
}

class NativeMac implements Mac {
  readonly #functions: Functions
  readonly #context: Context
  readonly #pointer: bigint
  readonly #digest: Buffer
  readonly #digestPointer: bigint
  readonly #sizePointer: bigint

  constructor({ functions, fixed, pointer }: Libcrypto, key: Buffer) {
    this.#functions = functions
    this.#digest = fixed.subarray(OUTPUT_AT, OUTPUT_AT + MAC_BYTES)
    this.#digestPointer = pointer + BigInt(OUTPUT_AT)
    this.#sizePointer = pointer + BigInt(SIZE_AT)
    this.#context = new Context(functions.HMAC_CTX_new(), functions.HMAC_CTX_free, this)
    this.#pointer = this.#context.pointer
    key.copy(fixed, KEY_AT)
    const keyPointer = pointer + BigInt(KEY_AT)
    const result = functions.HMAC_Init_ex(this.#pointer, keyPointer, bigintOf(key.length), functions.EVP_sha1(), NULL)
    fixed.fill(0, KEY_AT)
    if (result !== 1) throw failed(functions, 'HMAC-SHA1')
  }

  digest(arena: PacketArena, from: number, to: number): Buffer {
    const { HMAC_Init_ex: init, HMAC_Update: update, HMAC_Final: final } = this.#functions
    const context = this.#pointer
    const succeeded =
      init(context, NULL, 0n, NULL, NULL) === 1 &&
      update(context, arena.pointerTo(from), bigintOf(to - from)) === 1 &&
      final(context, this.#digestPointer, this.#sizePointer) === 1
    if (!succeeded) throw failed(this.#functions, 'HMAC-SHA1')
    return this.#digest
  }

  close(): void {
    this.#context.free()
  }
}

function initCipher(libcrypto: Libcrypto, context: bigint, cipher: bigint, key: Buffer, direction: bigint): void {
  const { functions, fixed, pointer } = libcrypto
  key.copy(fixed, KEY_AT)
  const result = functions.EVP_CipherInit_ex(context, cipher, NULL, pointer + BigInt(KEY_AT), NULL, direction)
  fixed.fill(0, KEY_AT)
  if (result !== 1) throw failed(functions, 'AES')
}

function failed(functions: Functions, what: string): Error {
  functions.ERR_clear_error()
  return new Error(`OpenSSL refused ${what}, perhaps by its configuration`)
}
