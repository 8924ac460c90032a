import { expect } from 'chai'
import fc from 'fast-check'
import { removeEmulationPrevention } from './emulation-prevention.ts'

const cases = [
  { name: 'one', nalu: '6700000301', clean: '67000001' },
  { name: 'two in a row', nalu: '6700000300000301', clean: '670000000001' },
  { name: 'one at the end', nalu: '67000003', clean: '670000' },
  { name: 'a three that is data', nalu: '670000030300000303', clean: '67000003000003' },
  { name: 'zeros that begin after one', nalu: '67000003000003', clean: '6700000000' },
]

describe('removeEmulationPrevention', () => {
  for (const { name, nalu, clean } of cases) {
    it(`removes ${name}`, () => {
      const given = Buffer.from(nalu, 'hex')
      expect(removeEmulationPrevention(given).toString('hex')).to.equal(clean)
      expect(given.toString('hex')).to.equal(nalu)
    })
  }

  it('gives back the same buffer where there is nothing to remove', () => {
    const nalu = Buffer.from('670001000301', 'hex')
    expect(removeEmulationPrevention(nalu)).to.equal(nalu)
  })

  it('undoes what an encoder does', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1, 2, 3, 4, 255), { maxLength: 60 }), (bytes) => {
        const protectedBytes: number[] = []
        let zeros = 0
        for (const byte of bytes) {
          if (zeros === 2 && byte <= 3) {
            protectedBytes.push(3)
            zeros = 0
          }
          protectedBytes.push(byte)
          zeros = byte === 0 ? zeros + 1 : 0
        }
        expect([...removeEmulationPrevention(Buffer.from(protectedBytes))]).to.deep.equal(bytes)
      }),
    )
  })
})
