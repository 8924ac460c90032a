import { MalformedError } from 'sluice/sdk/media'
import { WRAP_OVERHEAD_BYTES } from './key-wrap.ts'

/** Which of two keys encrypts a packet: the even or the odd one. These are the values of KK in data packets (draft-sharabayko-srt-01 3.1). */
export type KeyFlag = 1 | 2
export const EVEN_KEY: KeyFlag = 1
export const ODD_KEY: KeyFlag = 2

/** The sizes of keys: AES-128, AES-192 and AES-256. */
export type KeyBytes = 16 | 24 | 32

/** The content of a Key Material message (draft-sharabayko-srt-01 3.2.2). */
export type KeyMaterial = {
  /** 16 bytes. */
  readonly salt: Buffer
  readonly keyBytes: KeyBytes
  /** The keys it brings, the even one first. */
  readonly flags: readonly KeyFlag[]
  /** The keys, wrapped in one by the key encryption key. */
  readonly wrapped: Buffer
}

export const SALT_BYTES = 16

const HEADER_BYTES = 16
/** Version 1, packet type 2; then the signature `HAI` as letters of 5 bits. */
const PREFIX = 0x12_20_29
const KEY_FLAGS_AT = 3
const KEY_FLAGS = 0x03
const KEY_INDEX_AT = 4
const CIPHER_AT = 8
const AES_COUNTER_MODE = 2
const AUTHENTICATION_AT = 9
const NO_AUTHENTICATION = 0
const ENCAPSULATION_AT = 10
const TRANSPORT_STREAM_IN_SRT = 2
/** The sizes of salt and keys, in words of 32 bits. */
const SALT_WORDS_AT = 14
const KEY_WORDS_AT = 15
const WORD_BYTES = 4

/**
 * Parses a Key Material message into bytes of its own. Reserved fields may be anything.
 * @throws {MalformedError} for one that breaks the rules, or that asks for another cipher than AES in counter mode
 */
export function parseKeyMaterial(message: Buffer): KeyMaterial {
  if (message.length < HEADER_BYTES) throw new MalformedError(`SRT key material of ${message.length} bytes`)
  expectField(message.readUIntBE(0, 3), PREFIX, 'prefix')
  expectField(message.readUInt32BE(KEY_INDEX_AT), 0, 'key index')
  expectField(message[CIPHER_AT]!, AES_COUNTER_MODE, 'cipher')
  expectField(message[AUTHENTICATION_AT]!, NO_AUTHENTICATION, 'authentication')
  expectField(message[ENCAPSULATION_AT]!, TRANSPORT_STREAM_IN_SRT, 'encapsulation')
  expectField(message[SALT_WORDS_AT]! * WORD_BYTES, SALT_BYTES, 'salt size')
  const keyBytes = message[KEY_WORDS_AT]! * WORD_BYTES
  if (!isKeyBytes(keyBytes)) throw new MalformedError(`SRT key of ${keyBytes} bytes`)
  const bits = message[KEY_FLAGS_AT]! & KEY_FLAGS
  const flags = [EVEN_KEY, ODD_KEY].filter((flag) => (bits & flag) !== 0)
  if (flags.length === 0) throw new MalformedError('SRT key material without a key')
  const wrappedAt = HEADER_BYTES + SALT_BYTES
  const sizeBytes = wrappedAt + WRAP_OVERHEAD_BYTES + flags.length * keyBytes
  if (message.length !== sizeBytes) {
    throw new MalformedError(`SRT key material of ${message.length} bytes, where ${sizeBytes} are announced`)
  }
  const salt = Buffer.from(message.subarray(HEADER_BYTES, wrappedAt))
  return { salt, keyBytes, flags, wrapped: Buffer.from(message.subarray(wrappedAt)) }
}

/** Serializes a Key Material message, which is the same in a handshake and in a packet of its own. */
export function serializeKeyMaterial({ salt, keyBytes, flags, wrapped }: KeyMaterial): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUIntBE(PREFIX, 0, 3)
  for (const flag of flags) header[KEY_FLAGS_AT]! |= flag
  header[CIPHER_AT] = AES_COUNTER_MODE
  header[AUTHENTICATION_AT] = NO_AUTHENTICATION
  header[ENCAPSULATION_AT] = TRANSPORT_STREAM_IN_SRT
  header[SALT_WORDS_AT] = SALT_BYTES / WORD_BYTES
  header[KEY_WORDS_AT] = keyBytes / WORD_BYTES
  return Buffer.concat([header, salt, wrapped])
}

function expectField(value: number, expected: number, name: string): void {
  if (value !== expected) throw new MalformedError(`${name} ${value} of SRT key material, where ${expected} is known`)
}

function isKeyBytes(bytes: number): bytes is KeyBytes {
  return bytes === 16 || bytes === 24 || bytes === 32
}
