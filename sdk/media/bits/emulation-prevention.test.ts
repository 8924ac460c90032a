import { expect } from 'chai'
import fc from 'fast-check'
import { insertEmulationPrevention, removeEmulationPrevention } from './emulation-prevention.ts'

const cases = [
  { name: 'a start code', nalu: '6700000301', clean: '67000001' },
  { name: 'five zeros', nalu: '68000003000003000a', clean: '6800000000000a' },
  { name: 'two zeros at the end', nalu: '67000003', clean: '670000' },
  { name: 'a three that is data', nalu: '670000030300000303', clean: '67000003000003' },
  { name: 'zeros that begin after it', nalu: '6700000300000301', clean: '670000000001' },
]

describe('emulation prevention', () => {
  for (const { name, nalu, clean } of cases) {
    it(`is removed and inserted for ${name}`, () => {
      const given = Buffer.from(nalu, 'hex')
      expect(removeEmulationPrevention(given).toString('hex')).to.equal(clean)
      expect(given.toString('hex')).to.equal(nalu)
      const bytes = Buffer.from(clean, 'hex')
      expect(insertEmulationPrevention(bytes).toString('hex')).to.equal(nalu)
      expect(bytes.toString('hex')).to.equal(clean)
    })
  }

  it('leaves the same buffer where there is nothing to remove or insert', () => {
    const nalu = Buffer.from('670001000301', 'hex')
    expect(removeEmulationPrevention(nalu)).to.equal(nalu)
    const clean = Buffer.from('6700000400', 'hex')
    expect(insertEmulationPrevention(clean)).to.equal(clean)
  })

  it('keeps start codes out of any bytes, and comes off again', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1, 2, 3, 4, 255), { maxLength: 60 }), (bytes) => {
        const clean = Buffer.from(bytes)
        const nalu = insertEmulationPrevention(clean)
        expect(nalu.toString('hex')).not.to.match(/^(?:..)*00000[012]/u)
        expect(removeEmulationPrevention(nalu)).to.deep.equal(clean)
      }),
    )
  })
})
