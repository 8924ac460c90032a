import { createCipheriv } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import type { CounterCipher } from './counter-cipher.ts'
import { createCounterCipher, createKeystreamCipher } from './create-counter-cipher.ts'
import { createPacketArena, type PacketArena } from './packet-arena.ts'

const MAKERS = { createCounterCipher, createKeystreamCipher }
const TEXT_AT = 7
const NONCE_BYTES = 14

/** Text, and what counts no blocks in the IV. */
const TEXTS = fc.tuple(fc.uint8Array({ maxLength: 9000 }), fc.uint8Array({ minLength: 14, maxLength: 14 }))

function crypt(cipher: CounterCipher, arena: PacketArena, nonce: Uint8Array, textAt: number, endAt: number): void {
  const iv = ivOf(nonce)
  for (const [at, byte] of iv.entries()) cipher.iv.setUint8(at, byte)
  cipher.crypt(arena, textAt, endAt)
}

function ivOf(nonce: Uint8Array): Buffer {
  return Buffer.concat([nonce, Buffer.alloc(16 - NONCE_BYTES)])
}

function expected(key: Buffer, nonce: Uint8Array, text: Uint8Array): string {
  return createCipheriv(`aes-${key.length * 8}-ctr`, key, ivOf(nonce))
    .update(text)
    .toString('hex')
}

for (const [name, create] of Object.entries(MAKERS)) {
  describe(name, () => {
    for (const keyBytes of [16, 24, 32]) {
      const key = Buffer.from(Array.from({ length: keyBytes }, (_, at) => at * 7))

      it(`encrypts as node:crypto does in counter mode, with a key of ${keyBytes} bytes`, () => {
        const cipher = create(key)
        const arena = createPacketArena(9100)
        fc.assert(
          fc.property(TEXTS, ([text, nonce]) => {
            arena.bytes.set(text, TEXT_AT)
            const endAt = TEXT_AT + text.length
            arena.bytes[endAt] = 99
            crypt(cipher, arena, nonce, TEXT_AT, endAt)
            cipher.finish()
            expect(arena.bytes.toString('hex', TEXT_AT, endAt)).to.equal(expected(key, nonce, text))
            expect(arena.bytes[endAt]).to.equal(99)
          }),
        )
        cipher.close()
      })
    }

    it('keeps ciphers of different keys apart that take turns', () => {
      const keys = [16, 32, 24].map((size) => Buffer.alloc(size, size))
      const ciphers = keys.map(create)
      const arena = createPacketArena(60 * 100)
      const nonces = Array.from({ length: 60 }, (_, at) => Buffer.alloc(NONCE_BYTES, at))
      for (const [at, nonce] of nonces.entries()) {
        crypt(ciphers[(at >> 2) % 3]!, arena, nonce, at * 100, at * 100 + 90)
      }
      for (const cipher of ciphers) cipher.finish()
      for (const [at, nonce] of nonces.entries()) {
        const text = arena.bytes.toString('hex', at * 100, at * 100 + 90)
        expect(text).to.equal(expected(keys[(at >> 2) % 3]!, nonce, Buffer.alloc(90)))
      }
      for (const cipher of [...ciphers, ...ciphers]) cipher.close()
    })

    it('refuses keys that AES has not', () => {
      for (const size of [0, 15, 17, 20, 64, 65]) {
        expect(() => create(Buffer.alloc(size, 7)), `${size}`).to.throw(RangeError, `AES key of ${size} bytes`)
      }
    })
  })
}
