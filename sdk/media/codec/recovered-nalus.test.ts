import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from '../errors.ts'
import { joinAnnexB, joinLengthPrefixed } from './nalu.ts'
import { isLengthPrefixed, recoverNalus } from './recovered-nalus.ts'

const NALUS = ['09f0', '658804', '419a11'].map((hex) => Buffer.from(hex, 'hex'))
const HEX = NALUS.map((nalu) => nalu.toString('hex'))

const cases: readonly { name: string; bytes: string; lengthSize?: number; nalus: readonly string[] }[] = [
  { name: 'stray bytes behind', bytes: '0000000209f000000003658804 0000', nalus: ['09f0', '658804'] },
  { name: 'more stray bytes behind than a length has', bytes: '00000003658804 ffffffffaabb', nalus: ['658804'] },
  { name: 'a last length that is one too long', bytes: '0000000209f000000004658804', nalus: ['09f0', '658804'] },
  { name: 'a length that counts itself', bytes: '00000007658804', nalus: ['658804'] },
  { name: 'a length of 256 bytes and more', bytes: `00000101${'65'.repeat(256)}`, nalus: ['65'.repeat(256)] },
  { name: 'start codes of 4 bytes', bytes: '0000000109f0 00000001658804', nalus: ['09f0', '658804'] },
  { name: 'start codes of 3 bytes', bytes: '00000109f0 000001658804', nalus: ['09f0', '658804'] },
  { name: 'empty NAL units', bytes: '00000000 00000003658804 00000000 00', nalus: ['658804'] },
  { name: 'shorter lengths', bytes: '0003658804 0004419a11', lengthSize: 2, nalus: ['658804', '419a11'] },
]

describe('recoverNalus', () => {
  for (const { name, bytes, lengthSize = 4, nalus } of cases) {
    it(`takes what is whole of ${name}`, () => {
      const whole = Buffer.from(bytes.replaceAll(' ', ''), 'hex')
      const before = Buffer.from(whole)
      expect(recoverNalus(whole, lengthSize).map((nalu) => nalu.toString('hex'))).to.eql(nalus)
      expect(whole).to.eql(before)
      if (lengthSize === 4) expect(isLengthPrefixed(whole)).to.equal(false)
    })
  }

  it('takes what is right as it is', () => {
    expect(isLengthPrefixed(joinLengthPrefixed(NALUS))).to.equal(true)
    expect(isLengthPrefixed(joinAnnexB(NALUS))).to.equal(false)
    for (const bytes of [joinLengthPrefixed(NALUS), joinAnnexB(NALUS)]) {
      expect(recoverNalus(bytes, 4).map((nalu) => nalu.toString('hex'))).to.eql(HEX)
    }
  })

  it('refuses what has no whole NAL unit', () => {
    for (const hex of ['', '00', '00000000', '000000ff65880411', 'ffffffff65']) {
      expect(() => recoverNalus(Buffer.from(hex, 'hex'), 4), hex).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    const holds = (bytes: Uint8Array, lengthSize: number) => {
      try {
        for (const nalu of recoverNalus(Buffer.from(bytes), lengthSize)) expect(nalu).to.have.length.above(0)
      } catch (error) {
        expect(error).to.be.instanceOf(MalformedError)
      }
    }
    const small = fc
      .array(fc.constantFrom(0, 1, 2, 3, 0x65, 0xff), { maxLength: 40 })
      .map((bytes) => Buffer.from(bytes))
    fc.assert(fc.property(small, fc.integer({ min: 1, max: 4 }), holds))
  })
})
