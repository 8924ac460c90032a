import { createCipheriv } from 'node:crypto'
import {
  bigintOf,
  createCounterCipher,
  createPacketArena,
  loadFfi,
  loadLibcrypto,
  NativeContext,
  type Ffi,
  type Libcrypto,
  type PacketArena,
} from 'sluice/sdk'
import {
  AEAD_IV_BYTES,
  AEAD_TAG_BYTES,
  MAC_BYTES,
  type AeadCipher,
  type CipherLibrary,
  type Mac,
} from './cipher-library.ts'
import { AeadParameters } from './aead-parameters.ts'

/** The pointer NULL, for an argument that is left out. */
const NULL = 0n

/** The sizes of the key and the packets by which the library is checked. */
const KEY_BYTES = 16
const CHECKED_CLEAR_BYTES = 12
const CHECKED_BYTES = 60

/** The functions of libcrypto that only SRTP needs, with their numbers as pointers: see sdk/native/libcrypto.ts. */
const DEFINITIONS = {
  EVP_CIPHER_CTX_set_params: { return: 'i32', arguments: ['pointer', 'pointer'] },
  EVP_CIPHER_CTX_get_params: { return: 'i32', arguments: ['pointer', 'pointer'] },
  EVP_CipherFinal_ex: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer'] },
  EVP_aes_128_gcm: { return: 'pointer', arguments: [] },
  EVP_sha1: { return: 'pointer', arguments: [] },
  HMAC_CTX_new: { return: 'pointer', arguments: [] },
  HMAC_CTX_free: { return: 'void', arguments: ['pointer'] },
  HMAC_Init_ex: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer', 'pointer', 'pointer'] },
  HMAC_Update: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer'] },
  HMAC_Final: { return: 'i32', arguments: ['pointer', 'pointer', 'pointer'] },
} as const

/** The parts that all contexts share. */
type SrtpFunctions = {
  readonly libcrypto: Libcrypto
  readonly functions: ReturnType<typeof bind>
  readonly parameters: AeadParameters
}

/** Loads OpenSSL's own functions, which encrypt with reusable contexts; undefined when they can't be called. */
export function loadNativeLibrary(): CipherLibrary | undefined {
  const libcrypto = loadLibcrypto()
  const ffi = loadFfi()
  if (libcrypto === undefined || ffi === undefined) return undefined
  try {
    const parameters = new AeadParameters(ffi, libcrypto.ivPointer)
    const bound = { libcrypto, functions: bind(ffi), parameters }
    if (!isRight(bound)) return undefined
    return {
      name: 'node:ffi',
      profiles: ['SRTP_AEAD_AES_128_GCM', 'SRTP_AES128_CM_HMAC_SHA1_80'],
      aead: (key, direction) => new NativeAead(bound, key, direction),
      counter: createCounterCipher,
      mac: (key) => new NativeMac(bound, key),
    }
  } catch {
    // Node may be linked to a libcrypto of its system, or to another library.
    return undefined
  }
}

function bind(ffi: Ffi) {
  return ffi.dlopen(null, DEFINITIONS).functions
}

/**
 * True when two packets by one context, the same but for their IVs, come out as with node:crypto: OpenSSL's versions differ in how they
 * take an IV and return a tag.
 */
function isRight(bound: SrtpFunctions): boolean {
  const key = Buffer.alloc(KEY_BYTES, 1)
  const arena = createPacketArena(CHECKED_BYTES + AEAD_TAG_BYTES)
  const { bytes } = arena
  const cipher = new NativeAead(bound, key, 'seal')
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

class NativeAead implements AeadCipher {
  readonly iv: DataView
  readonly #libcrypto: Libcrypto
  readonly #shared: Libcrypto['functions']
  readonly #functions: SrtpFunctions['functions']
  readonly #parameters: AeadParameters
  readonly #context: NativeContext
  readonly #pointer: bigint
  readonly #sizePointer: bigint
  readonly #outputPointer: bigint
  readonly #isSealing: boolean

  constructor({ libcrypto, functions, parameters }: SrtpFunctions, key: Buffer, direction: 'seal' | 'open') {
    this.iv = new DataView(libcrypto.iv.buffer, libcrypto.iv.byteOffset, AEAD_IV_BYTES)
    this.#libcrypto = libcrypto
    this.#shared = libcrypto.functions
    this.#functions = functions
    this.#parameters = parameters
    this.#sizePointer = libcrypto.sizePointer
    this.#outputPointer = libcrypto.outputPointer
    this.#isSealing = direction === 'seal'
    const cipher = functions.EVP_aes_128_gcm()
    this.#context = libcrypto.createCipherContext(this, cipher, key, this.#isSealing ? 'encrypt' : 'decrypt')
    this.#pointer = this.#context.pointer
  }

  crypt(arena: PacketArena, clearAt: number, textAt: number, endAt: number): boolean {
    const functions = this.#functions
    const { EVP_CipherUpdate: update } = this.#shared
    const parameters = this.#parameters
    const context = this.#pointer
    const size = this.#sizePointer
    const clear = arena.pointerTo(clearAt)
    const text = arena.pointerTo(textAt)
    parameters.setTag(arena.address + endAt)
    const before = this.#isSealing ? parameters.iv : parameters.tagAndIv
    const succeeded =
      functions.EVP_CIPHER_CTX_set_params(context, before) === 1 &&
      update(context, NULL, size, clear, bigintOf(textAt - clearAt)) === 1 &&
      update(context, text, size, text, bigintOf(endAt - textAt)) === 1 &&
      functions.EVP_CipherFinal_ex(context, this.#outputPointer, size) === 1 &&
      (!this.#isSealing || functions.EVP_CIPHER_CTX_get_params(context, parameters.tag) === 1)
    // A wrong tag is not an error to report.
    if (!succeeded) this.#libcrypto.clearErrors()
    return succeeded
  }

  close(): void {
    this.#context.free()
  }
}

class NativeMac implements Mac {
  readonly #libcrypto: Libcrypto
  readonly #functions: SrtpFunctions['functions']
  readonly #context: NativeContext
  readonly #pointer: bigint
  readonly #digest: Buffer
  readonly #digestPointer: bigint
  readonly #sizePointer: bigint

  constructor({ libcrypto, functions }: SrtpFunctions, key: Buffer) {
    this.#libcrypto = libcrypto
    this.#functions = functions
    this.#digest = libcrypto.output.subarray(0, MAC_BYTES)
    this.#digestPointer = libcrypto.outputPointer
    this.#sizePointer = libcrypto.sizePointer
    this.#context = new NativeContext(functions.HMAC_CTX_new(), functions.HMAC_CTX_free, this)
    this.#pointer = this.#context.pointer
    const sha1 = functions.EVP_sha1()
    const result = libcrypto.withKey(key, (at) =>
      functions.HMAC_Init_ex(this.#pointer, at, bigintOf(key.length), sha1, NULL),
    )
    if (result !== 1) throw libcrypto.failure('HMAC-SHA1')
  }

  digest(arena: PacketArena, from: number, to: number): Buffer {
    const { HMAC_Init_ex: init, HMAC_Update: update, HMAC_Final: final } = this.#functions
    const context = this.#pointer
    const succeeded =
      init(context, NULL, 0n, NULL, NULL) === 1 &&
      update(context, arena.pointerTo(from), bigintOf(to - from)) === 1 &&
      final(context, this.#digestPointer, this.#sizePointer) === 1
    if (!succeeded) throw this.#libcrypto.failure('HMAC-SHA1')
    return this.#digest
  }

  close(): void {
    this.#context.free()
  }
}
