import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import libsrt from './fixtures/libsrt-1.5.1.json' with { type: 'json' }
import { parseKeyMaterial, serializeKeyMaterial } from './key-material.ts'

const MESSAGES = libsrt.sessions.map(({ keyRequest }) => Buffer.from(keyRequest, 'hex'))
const MESSAGE = MESSAGES[0]!

/** What is changed in a message, which breaks it: the byte, its value, and what the error says. */
const BROKEN = [
  ['another packet type', 0, 0x11, 'prefix'],
  ['another version', 0, 0x22, 'prefix'],
  ['another signature', 2, 0x28, 'prefix'],
  ['no key', 3, 0x00, 'without a key'],
  ['two keys with the bytes of one', 3, 0x03, '56 bytes, where 72'],
  ['a key encryption key of another index', 7, 1, 'key index 1'],
  ['AES-GCM', 8, 4, 'cipher 4'],
  ['no cipher', 8, 0, 'cipher 0'],
  ['authentication', 9, 1, 'authentication 1'],
  ['another encapsulation', 10, 1, 'encapsulation 1'],
  ['no salt', 14, 0, 'salt size 0'],
  ['a longer salt', 14, 255, 'salt size 1020'],
  ['no key size', 15, 0, 'key of 0 bytes'],
  ['an odd key size', 15, 5, 'key of 20 bytes'],
  ['a longer key', 15, 8, '56 bytes, where 72'],
] as const

describe('SRT key material', () => {
  it('comes back as libsrt wrote it', () => {
    for (const [index, message] of MESSAGES.entries()) {
      const material = parseKeyMaterial(message)
      expect(material.keyBytes).to.equal(libsrt.sessions[index]!.keyBytes)
      expect(material.flags).to.eql([1])
      expect(serializeKeyMaterial(material).toString('hex')).to.equal(message.toString('hex'))
    }
  })

  it('comes back as it was serialized, in bytes of its own', () => {
    const flags = fc.constantFrom([1] as const, [2] as const, [1, 2] as const)
    fc.assert(
      fc.property(fc.constantFrom(16, 24, 32), flags, fc.infiniteStream(fc.nat(255)), (keyBytes, keys, bytes) => {
        const take = (count: number) => Buffer.from([...bytes.take(count)])
        const material = { salt: take(16), keyBytes, flags: [...keys], wrapped: take(8 + keys.length * keyBytes) }
        const message = serializeKeyMaterial(material)
        const parsed = parseKeyMaterial(message)
        message.fill(0)
        expect(parsed).to.eql(material)
      }),
    )
  })

  for (const [what, at, value, says] of BROKEN) {
    it(`is refused with ${what}`, () => {
      const message = Buffer.from(MESSAGE)
      message[at] = value
      expect(() => parseKeyMaterial(message)).to.throw(MalformedError, says)
    })
  }

  it('is refused where it is cut, or goes on', () => {
    for (let size = 0; size < MESSAGE.length; size++) {
      expect(() => parseKeyMaterial(MESSAGE.subarray(0, size)), `${size}`).to.throw(MalformedError)
    }
    expect(() => parseKeyMaterial(Buffer.concat([MESSAGE, Buffer.alloc(4)]))).to.throw(MalformedError)
  })

  it('has no byte that does harm', () => {
    const changes = fc.array(fc.tuple(fc.nat(MESSAGE.length - 1), fc.nat(255)), { maxLength: 4 })
    const changed = changes.map((list) => {
      const message = Buffer.from(MESSAGE)
      for (const [at, value] of list) message[at] = value
      return message
    })
    const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
    fc.assert(
      fc.property(fc.oneof(changed, anything), (message) => {
        try {
          const { salt, keyBytes, flags, wrapped } = parseKeyMaterial(message)
          expect(salt).to.have.length(16)
          expect(wrapped).to.have.length(8 + flags.length * keyBytes)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
    )
  })
})
