import type { PacketArena } from './packet-arena.ts'

/** A block of AES in words. */
const BLOCK_WORDS = 4

const WORD_BYTES = 4
const BLOCK_BYTES = BLOCK_WORDS * WORD_BYTES
const MAX_TEXTS = 16

/**
 * Texts that one cipher is to encrypt, and the counter blocks of their keystream (RFC 3711 4.1.1). A call of node:crypto
 * costs more than the encryption of a packet, so one call serves many packets; all ciphers share the memory for it.
 */
export class CounterTexts {
  /** The cipher that added the texts. */
  owner: { finish(): void } | undefined
  #arena: PacketArena | undefined
  readonly #starts = new Uint32Array(MAX_TEXTS)
  readonly #ends = new Uint32Array(MAX_TEXTS)
  #count = 0
  /** The array has room for the most blocks that were encrypted at once so far. */
  #blocks = new Uint32Array(MAX_TEXTS * 80 * BLOCK_WORDS)
  #words = 0

  get isFull(): boolean {
    return this.#count === MAX_TEXTS
  }

  /** @param iv in words of this machine, which have their first byte lowest; the last two bytes are 0, and count the blocks */
  add(arena: PacketArena, iv: Uint32Array, start: number, end: number): void {
    this.#arena = arena
    this.#starts[this.#count] = start
    this.#ends[this.#count] = end
    this.#count += 1
    const from = this.#words
    this.#words += Math.ceil((end - start) / BLOCK_BYTES) * BLOCK_WORDS
    if (this.#words > this.#blocks.length) this.#grow()
    const blocks = this.#blocks
    const words = this.#words
    const [first, second, third, last] = [iv[0]!, iv[1]!, iv[2]!, iv[3]!]
    for (let at = from, block = 0; at < words; at += BLOCK_WORDS, block++) {
      blocks[at] = first
      blocks[at + 1] = second
      blocks[at + 2] = third
      blocks[at + 3] = last | ((block & 0xff00) << 8) | (block << 24)
    }
  }

  /** Returns the counter blocks of all texts, which the cipher encrypts to their keystream. */
  counterBlocks(): Uint8Array {
    return new Uint8Array(this.#blocks.buffer, 0, this.#words * WORD_BYTES)
  }

  /** Encrypts or decrypts the texts, which are forgotten. */
  apply(keystream: Buffer): void {
    const text = this.#arena!.view
    const key = new DataView(keystream.buffer, keystream.byteOffset, keystream.length)
    let keyAt = 0
    for (let index = 0; index < this.#count; index++) {
      const start = this.#starts[index]!
      const end = this.#ends[index]!
      applyKeystream(text, start, end, key, keyAt)
      keyAt += Math.ceil((end - start) / BLOCK_BYTES) * BLOCK_BYTES
    }
    this.clear()
  }

  clear(): void {
    this.#arena = undefined
    this.#count = 0
    this.#words = 0
  }

  #grow(): void {
    const blocks = new Uint32Array(this.#words)
    blocks.set(this.#blocks)
    this.#blocks = blocks
  }
}

function applyKeystream(text: DataView, start: number, end: number, key: DataView, keyStart: number): void {
  const wordsEnd = end - ((end - start) % WORD_BYTES)
  let keyAt = keyStart
  for (let at = start; at < wordsEnd; at += WORD_BYTES, keyAt += WORD_BYTES) {
    text.setInt32(at, text.getInt32(at, true) ^ key.getInt32(keyAt, true), true)
  }
  for (let at = wordsEnd; at < end; at++, keyAt++) text.setUint8(at, text.getUint8(at) ^ key.getUint8(keyAt))
}
