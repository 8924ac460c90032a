import { scratchArena } from 'sluice/sdk'
import { MalformedError } from 'sluice/sdk/media'
import { KeyEncryption, type StreamKeys } from './key-encryption.ts'
import { parseKeyMaterial, type KeyFlag, type KeyMaterial } from './key-material.ts'
import { PacketCipher } from './packet-cipher.ts'

/** Messages that are known again: a late one must not bring back the key that it brought once. */
const MAX_TAKEN_MESSAGES = 8

/** Decrypts the packets of one direction, with the keys that the peer announces. */
export class ReceivingKeys {
  readonly #passphrase: string
  #encryption: KeyEncryption
  readonly #ciphers = new Map<KeyFlag, PacketCipher>()
  readonly #taken: Buffer[] = []
  #isDeriving = false
  #isClosed = false

  /** @param message the Key Material message of the handshake, which brought the keys */
  constructor(passphrase: string, encryption: KeyEncryption, keys: StreamKeys, message: Buffer) {
    this.#passphrase = passphrase
    this.#encryption = encryption
    this.#install(message, encryption, keys)
  }

  /**
   * Returns a payload in the clear, in bytes of its own; undefined without its key. A wrong key is not noticed: it results in noise.
   * @param payload at most as long as a datagram
   */
  decrypt(flag: KeyFlag, sequence: number, payload: Buffer): Buffer | undefined {
    const cipher = this.#ciphers.get(flag)
    if (cipher === undefined) return undefined
    const arena = scratchArena()
    payload.copy(arena.bytes)
    cipher.crypt(arena, sequence, 0, payload.length)
    cipher.finish()
    return Buffer.from(arena.bytes.subarray(0, payload.length))
  }

  /**
   * Takes the keys of a Key Material request, before it returns when its salt is that of the last one. Both keys are kept until the peer
   * announces others in their places.
   * @returns the answer to it, which is the same bytes; undefined when it is broken, of another passphrase, or comes while the key of
   *   another new salt is made
   */
  async take(message: Buffer): Promise<Buffer | undefined> {
    if (this.#isClosed) return undefined
    const known = this.#taken.find((taken) => taken.equals(message))
    if (known !== undefined) return known
    const material = tryParse(message)
    if (material === undefined) return undefined
    const copy = Buffer.from(message)
    const encryption = this.#encryption.fits(material) ? this.#encryption : await this.#derive(material)
    const keys = encryption?.unwrap(material)
    if (encryption === undefined || keys === undefined || this.#isClosed) return undefined
    this.#install(copy, encryption, keys)
    return copy
  }

  /** Frees the keys; no packet is decrypted afterwards. Idempotent. */
  close(): void {
    this.#isClosed = true
    for (const cipher of this.#ciphers.values()) cipher.close()
    this.#ciphers.clear()
  }

  /** One at a time, so that a peer has no more than that of the machine. */
  async #derive({ salt, keyBytes }: KeyMaterial): Promise<KeyEncryption | undefined> {
    if (this.#isDeriving) return undefined
    this.#isDeriving = true
    try {
      return await KeyEncryption.derive(this.#passphrase, salt, keyBytes)
    } finally {
      this.#isDeriving = false
    }
  }

  #install(message: Buffer, encryption: KeyEncryption, keys: StreamKeys): void {
    this.#encryption = encryption
    for (const [flag, key] of keys) {
      const old = this.#ciphers.get(flag)
      if (old?.isOf(key, encryption.salt) === true) continue
      old?.close()
      this.#ciphers.set(flag, new PacketCipher(key, encryption.salt))
    }
    this.#taken.push(message)
    if (this.#taken.length > MAX_TAKEN_MESSAGES) this.#taken.shift()
  }
}

function tryParse(message: Buffer): KeyMaterial | undefined {
  try {
    return parseKeyMaterial(message)
  } catch (error) {
    if (error instanceof MalformedError) return undefined
    throw error
  }
}
