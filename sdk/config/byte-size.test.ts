import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../test/support/soak.ts'
import { parseByteSize } from './byte-size.ts'

const VALID: [text: string, sizeBytes: number][] = [
  ['0', 0],
  ['1500', 1500],
  ['1B', 1],
  ['512KB', 524_288],
  ['4MB', 4_194_304],
  ['4 mb', 4_194_304],
  ['1.5KB', 1536],
  ['2GB', 2_147_483_648],
]
const INVALID = ['', 'MB', '-1', '1.5', '4M', '4 TB', '4  MB', '1e3', '99999999999999999', '9007199254740992']

describe('byte sizes', () => {
  for (const [text, sizeBytes] of VALID) {
    it(`reads ${text}`, () => {
      expect(parseByteSize(text)).to.equal(sizeBytes)
    })
  }

  for (const text of INVALID) {
    it(`refuses '${text}'`, () => {
      expect(parseByteSize(text)).to.equal(undefined)
    })
  }

  it('takes units as powers of 1024', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4096 }), fc.integer({ min: 0, max: 3 }), (amount, power) => {
        expect(parseByteSize(`${amount}${['B', 'KB', 'MB', 'GB'][power] ?? ''}`)).to.equal(amount * 1024 ** power)
      }),
    )
  })

  it('gives a safe integer, or nothing, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.]{0,20}[KMGB ]{0,3}$/)), (text) => {
        const sizeBytes = parseByteSize(text)
        expect(sizeBytes === undefined || Number.isSafeInteger(sizeBytes)).to.equal(true)
      }),
      { numRuns: rounds(1000) },
    )
  })
})
