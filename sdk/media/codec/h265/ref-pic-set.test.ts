import { expect } from 'chai'
import { BitReader } from '../../bits/bit-reader.ts'
import { BitWriter } from '../../bits/bit-writer.ts'
import { MalformedError } from '../../errors.ts'
import { skipLongTermRefPics, skipShortTermRefPicSets } from './ref-pic-set.ts'

function reader(bits: string): BitReader {
  const writer = new BitWriter()
  for (const bit of bits.replaceAll(' ', '')) writer.writeFlag(bit === '1')
  return new BitReader(writer.toBuffer())
}

const ONE_PICTURE = '010 1 1 1' // one before, none after: delta 1, used

const cases = [
  { name: 'none', bits: '1' },
  { name: 'one of a picture', bits: `010 ${ONE_PICTURE}` },
  { name: 'one of pictures before and after', bits: '010 011 010 1 1 1 0 010 1' },
  { name: 'two apart', bits: `011 ${ONE_PICTURE} 0 ${ONE_PICTURE}` },
  // Of the candidates, the first is used; the second is neither used nor kept.
  { name: 'one predicted from another', bits: `011 ${ONE_PICTURE} 1 0 1 1 00` },
  // The set in the middle has two pictures, so that the last has three candidates.
  { name: 'one predicted from a predicted one', bits: `00100 ${ONE_PICTURE} 1 0 1 1 01 1 0 1 1 1 00` },
]

describe('skipShortTermRefPicSets', () => {
  for (const { name, bits } of cases) {
    it(`reads over ${name}`, () => {
      const given = reader(`${bits} 10101`)
      skipShortTermRefPicSets(given)
      expect(given.readBits(5)).to.equal(0b10101)
    })
  }

  it('holds its limits', () => {
    expect(() => skipShortTermRefPicSets(reader('0000001 000010'))).to.throw(MalformedError, '65 at bit 0')
    expect(() => skipShortTermRefPicSets(reader('010 000010010'))).to.throw(MalformedError, '17 at bit 3')
    const nine = `0001010 0001010 ${'11'.repeat(18)}`
    expect(() => skipShortTermRefPicSets(reader(`010 ${nine}`))).to.throw(MalformedError, 'of 18 pictures')
  })
})

describe('skipLongTermRefPics', () => {
  it('reads over two, of 8 bits and a flag each', () => {
    const given = reader(`1 011 ${'0'.repeat(18)} 10101`)
    skipLongTermRefPics(given, 8)
    expect(given.readBits(5)).to.equal(0b10101)
  })
})
