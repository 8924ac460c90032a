import { expect } from 'chai'
import { BitWriter } from 'sluice/sdk/media'
import { writeResidual } from './residual.ts'

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0)
}

describe('writeResidual', () => {
  // Bits by hand from ISO/IEC 14496-10 tables 9-5 to 9-10; the rest is proved against a decoder in encoder.test.ts.
  const cases = [
    { name: 'nothing', levels: zeros(16), bits: '1' },
    { name: 'no chroma', levels: zeros(4), bits: '01' },
    { name: 'a single one', levels: [1, ...zeros(15)], bits: '01' + '0' + '1' },
    { name: 'a single -1 at the end', levels: [...zeros(15), -1], bits: '01' + '1' + '000000001' },
    { name: 'a larger level', levels: [3, ...zeros(15)], bits: '000101' + '001' + '1' },
    {
      name: 'a textbook block',
      levels: [0, 3, 0, 1, -1, -1, 0, 1, ...zeros(8)],
      bits: '0000100' + '0' + '1' + '1' + '1' + '0010' + '111' + '10' + '1' + '1' + '01',
    },
    { name: 'chroma', levels: [0, 1, 0, 0], bits: '1' + '0' + '01' },
    { name: 'an escape', levels: [100, ...zeros(15)], bits: '000101' + '0000000000000001' + '000010100110' + '1' },
  ]
  for (const { name, levels, bits } of cases) {
    it(`writes ${name}`, () => {
      const writer = new BitWriter()
      writeResidual(writer, levels)
      const written = [...writer.toBuffer()].map((byte) => byte.toString(2).padStart(8, '0')).join('')
      expect(written).to.equal(bits.padEnd(written.length, '0'))
    })
  }
})
