import { loadFfi, type Ffi } from './ffi.ts'

/** Directions of EVP_CipherInit_ex. */
const DIRECTIONS = { decrypt: 0n, encrypt: 1n }
const NULL = 0n

/** The architectures that pass numbers in the registers of pointers; see {@link DEFINITIONS}. */
const KNOWN_ARCHITECTURES = new Set(['x64', 'arm64'])

/** Offsets and sizes of the memory that all ciphers use during one call: IV, sizes and digests, and a key while its context is made. */
const IV_AT = 0
const IV_BYTES = 64
const SIZE_AT = 64
const OUTPUT_AT = 128
const OUTPUT_BYTES = 64
const KEY_AT = 192
const MAX_KEY_BYTES = 64
const FIXED_BYTES = 256

/**
 * Functions of libcrypto, which is part of the node program; OpenSSL 3 has them all. Where all arguments are pointers, node:ffi
 * calls by compiled code, in a twentieth of the time that others take. So numbers are declared as such, too: x86-64 and ARM64
 * have both in the same registers, of which an `int` is the lower half.
 */
const DEFINITIONS = {
  EVP_CIPHER_CTX_new: { return: 'pointer', arguments: [] },
  EVP_CIPHER_CTX_free: { return: 'void', arguments: ['pointer'] },
  EVP_CipherInit_ex: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'pointer', 'pointer'] },
  EVP_CipherUpdate: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'pointer'] },
  EVP_aes_128_ctr: { return: 'pointer', arguments: [] },
  EVP_aes_192_ctr: { return: 'pointer', arguments: [] },
  EVP_aes_256_ctr: { return: 'pointer', arguments: [] },
  ERR_clear_error: { return: 'void', arguments: [] },
} as const

let libcrypto: Libcrypto | undefined
let isLoaded = false

/**
 * Returns OpenSSL's own functions, which this process binds once; undefined where they cannot be called: without node:ffi, on
 * a machine with an unknown calling convention, or by a Node that is linked to another library.
 */
export function loadLibcrypto(): Libcrypto | undefined {
  if (isLoaded) return libcrypto
  isLoaded = true
  const ffi = KNOWN_ARCHITECTURES.has(process.arch) ? loadFfi() : undefined
  try {
    if (ffi !== undefined) libcrypto = new Libcrypto(ffi)
  } catch {
    // A Node that is linked to a libcrypto of its system, or to another library.
  }
  return libcrypto
}

function bind(ffi: Ffi) {
  return ffi.dlopen(null, DEFINITIONS).functions
}

/** The functions of libcrypto that all ciphers share, and the memory that their arguments lie in. */
export class Libcrypto {
  readonly functions: ReturnType<typeof bind>
  /** The first of 64 bytes for an IV, the same for all ciphers: it is written before each call. */
  readonly iv: Buffer
  readonly ivPointer: bigint
  /** A place for the number of bytes that a function wrote. */
  readonly sizePointer: bigint
  /** 64 bytes for what a function returns besides; valid until the next call. */
  readonly output: Buffer
  readonly outputPointer: bigint
  readonly #key: Buffer
  readonly #keyPointer: bigint

  constructor(ffi: Ffi) {
    this.functions = bind(ffi)
    const memory = new ArrayBuffer(FIXED_BYTES)
    const pointer = ffi.getRawPointer(memory)
    this.iv = Buffer.from(memory, IV_AT, IV_BYTES)
    this.ivPointer = pointer + BigInt(IV_AT)
    this.sizePointer = pointer + BigInt(SIZE_AT)
    this.output = Buffer.from(memory, OUTPUT_AT, OUTPUT_BYTES)
    this.outputPointer = pointer + BigInt(OUTPUT_AT)
    this.#key = Buffer.from(memory, KEY_AT, MAX_KEY_BYTES)
    this.#keyPointer = pointer + BigInt(KEY_AT)
  }

  /**
   * Makes a context for a cipher and its key, which is freed with its owner.
   * @throws {Error} when OpenSSL refuses
   */
  createCipherContext(owner: object, cipher: bigint, key: Buffer, direction: 'encrypt' | 'decrypt'): NativeContext {
    const { functions } = this
    const context = new NativeContext(functions.EVP_CIPHER_CTX_new(), functions.EVP_CIPHER_CTX_free, owner)
    const init = functions.EVP_CipherInit_ex
    const result = this.withKey(key, (at) => init(context.pointer, cipher, NULL, at, NULL, DIRECTIONS[direction]))
    if (result !== 1) throw this.failure('AES')
    return context
  }

  /**
   * Calls a function with where a key of at most 64 bytes lies, which is wiped afterwards.
   * @throws {RangeError} for a longer key
   */
  withKey(key: Buffer, call: (pointer: bigint) => number): number {
    if (key.length > MAX_KEY_BYTES) throw new RangeError(`Key of ${key.length} bytes`)
    key.copy(this.#key)
    try {
      return call(this.#keyPointer)
    } finally {
      this.#key.fill(0)
    }
  }

  /** Empties OpenSSL's queue of errors after one: TLS connections of this thread would take it for their own. */
  clearErrors(): void {
    this.functions.ERR_clear_error()
  }

  /** Empties the queue, and returns an error to throw. */
  failure(what: string): Error {
    this.clearErrors()
    return new Error(`OpenSSL refused ${what}, perhaps by its configuration`)
  }
}

/** A context of OpenSSL: freed by `free`, or after its owner was collected. */
export class NativeContext {
  readonly pointer: bigint
  readonly #free: (pointer: bigint) => void

  /** @throws {Error} for the pointer NULL */
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

  /** Frees it after its owner was collected; only the registry may call it. */
  freeForgotten(): void {
    this.#free(this.pointer)
  }
}

const forgotten = new FinalizationRegistry<NativeContext>((context) => context.freeForgotten())
