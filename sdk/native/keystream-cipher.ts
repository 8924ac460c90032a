import { createCipheriv } from 'node:crypto'
import type { CounterCipher } from './counter-cipher.ts'
import { CounterTexts } from './counter-texts.ts'
import type { PacketArena } from './packet-arena.ts'

const IV_BYTES = 16

const texts = new CounterTexts()

/**
 * Encrypts by node:crypto, which every Node has. Counter mode is made out of ECB: one cipher object serves all packets, while that of
 * counter mode has its start for life.
 */
export class KeystreamCipher implements CounterCipher {
  readonly iv = new DataView(new ArrayBuffer(IV_BYTES))
  readonly #iv = new Uint32Array(this.iv.buffer)
  readonly #cipher

  /** @param key 16, 24 or 32 bytes */
  constructor(key: Buffer) {
    this.#cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false)
  }

  crypt(arena: PacketArena, textAt: number, endAt: number): void {
    if (texts.owner !== this || texts.isFull) texts.owner?.finish()
    texts.owner = this
    texts.add(arena, this.#iv, textAt, endAt)
  }

  finish(): void {
    if (texts.owner !== this) return
    texts.owner = undefined
    texts.apply(this.#cipher.update(texts.counterBlocks()))
  }

  close(): void {
    if (texts.owner !== this) return
    texts.owner = undefined
    texts.clear()
  }
}
