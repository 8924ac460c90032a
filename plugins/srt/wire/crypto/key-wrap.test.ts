import { expect } from 'chai'
import { unwrapKeys, wrapKeys } from './key-wrap.ts'

const KEK = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const KEYS = '00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f'

/** RFC 3394 4.1 to 4.6: bytes of the key encryption key and of the keys, and how they are wrapped. */
const VECTORS = [
  [16, 16, '1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5'],
  [24, 16, '96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d'],
  [32, 16, '64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7'],
  [24, 24, '031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2'],
  [32, 24, 'a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1'],
  [32, 32, '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21'],
] as const

describe('SRT key wrap', () => {
  for (const [kekBytes, keysBytes, wrapped] of VECTORS) {
    const kek = Buffer.from(KEK, 'hex').subarray(0, kekBytes)
    const keys = Buffer.from(KEYS, 'hex').subarray(0, keysBytes)

    it(`is that of RFC 3394 4 for ${keysBytes} bytes by a key of ${kekBytes}`, () => {
      expect(wrapKeys(kek, keys).toString('hex')).to.equal(wrapped)
      expect(unwrapKeys(kek, Buffer.from(wrapped, 'hex'))!.equals(keys)).to.equal(true)
    })

    it(`refuses ${keysBytes} bytes by a key of ${kekBytes} with any bit changed`, () => {
      for (let bit = 0; bit < wrapped.length * 4; bit++) {
        const broken = Buffer.from(wrapped, 'hex')
        broken[bit >> 3]! ^= 1 << (bit & 7)
        expect(unwrapKeys(kek, broken), `${bit}`).to.equal(undefined)
      }
      expect(unwrapKeys(Buffer.alloc(kekBytes), Buffer.from(wrapped, 'hex'))).to.equal(undefined)
    })
  }
})
