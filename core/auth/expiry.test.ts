import { expect } from 'chai'
import { parseExpiry } from './expiry.ts'

describe('expiry', () => {
  const cases = [
    ['6F000000', 'hexadecimal', 0x6f000000],
    ['00000000006f000000', 'hexadecimal', 0x6f000000],
    ['7fffffffffffffff', 'hexadecimal', 2 ** 63],
    ['8000000000000000', 'hexadecimal', undefined],
    ['0x6f', 'hexadecimal', undefined],
    ['', 'hexadecimal', undefined],
    ['0'.repeat(65), 'hexadecimal', undefined],
    ['1862270976', 'decimal', 1_862_270_976],
    ['0000001862270976', 'decimal', 1_862_270_976],
    ['9223372036854775807', 'decimal', 2 ** 63],
    ['9223372036854775808', 'decimal', undefined],
    ['6f', 'decimal', undefined],
    ['1e9', 'decimal', undefined],
    ['', 'decimal', undefined],
  ] as const
  for (const [text, base, seconds] of cases) {
    it(`of "${text}" in ${base} is ${seconds ?? 'none'}`, () => expect(parseExpiry(text, base)).to.equal(seconds))
  }
})
