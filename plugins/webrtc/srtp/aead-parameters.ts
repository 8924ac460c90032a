import type { Ffi } from 'sluice/sdk'
import { AEAD_TAG_BYTES } from './cipher-library.ts'

// `OSSL_PARAM` of 64-bit platforms, in words of 64 bits (openssl/core.h): name, type, address and size of the data, and the size that was
// returned.
const PARAMETER_WORDS = 5
const NAME = 0
const TYPE = 1
const DATA = 2
const SIZE = 3
const OCTET_STRING = 5n
/** `tlsivfixed` of this size is the whole IV of the next packet, as EVP_CTRL_GCM_SET_IV_FIXED has it. */
const WHOLE_IV = 2n ** 64n - 1n

/** The places of the entries in the list: the tag, the IV, and the end, an entry with the name NULL. */
const TAG_AT = 0
const IV_AT = PARAMETER_WORDS
const LIST_WORDS = 3 * PARAMETER_WORDS
const NAMES = 'tag\0tlsivfixed\0'
const TAG_NAME_AT = 0
const IV_NAME_AT = 4
const HALF_WORDS_PER_WORD = 2
const HIGH_HALF = 2 ** 32

/** Lists of parameters for AES-GCM, in memory as OpenSSL reads them: one call sets IV and tag, which would take two otherwise. */
export class AeadParameters {
  /** Sets the IV. */
  readonly iv: bigint
  /** Sets the tag to compare with, and the IV. */
  readonly tagAndIv: bigint
  /** Reads the tag. */
  readonly tag: bigint
  readonly #words = new BigUint64Array(new ArrayBuffer(2 * LIST_WORDS * 8))
  readonly #halves = new Uint32Array(this.#words.buffer)
  readonly #names = new Uint8Array(new ArrayBuffer(NAMES.length))

  constructor({ getRawPointer }: Pick<Ffi, 'getRawPointer'>, ivPointer: bigint) {
    this.#names.set(Buffer.from(NAMES))
    const names = getRawPointer(this.#names.buffer)
    const words = this.#words
    const write = (at: number, nameAt: number, size: bigint) => {
      words[at + NAME] = names + BigInt(nameAt)
      words[at + TYPE] = OCTET_STRING
      words[at + SIZE] = size
    }
    write(TAG_AT, TAG_NAME_AT, BigInt(AEAD_TAG_BYTES))
    write(IV_AT, IV_NAME_AT, WHOLE_IV)
    words[IV_AT + DATA] = ivPointer
    // The second list ends after the tag.
    write(LIST_WORDS + TAG_AT, TAG_NAME_AT, BigInt(AEAD_TAG_BYTES))

    const first = getRawPointer(words.buffer)
    this.tagAndIv = first
    this.iv = first + BigInt(IV_AT * 8)
    this.tag = first + BigInt(LIST_WORDS * 8)
  }

  /** Writes the address of the tag. Addresses of user space have less than 53 bits. */
  setTag(pointer: number): void {
    const halves = this.#halves
    const low = pointer % HIGH_HALF
    const high = (pointer - low) / HIGH_HALF
    const set = (TAG_AT + DATA) * HALF_WORDS_PER_WORD
    const asked = (LIST_WORDS + TAG_AT + DATA) * HALF_WORDS_PER_WORD
    halves[set] = low
    halves[set + 1] = high
    halves[asked] = low
    halves[asked + 1] = high
  }
}
