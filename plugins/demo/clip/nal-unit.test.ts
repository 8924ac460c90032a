import { expect } from 'chai'
import { removeEmulationPrevention } from 'sluice/sdk/media'
import { NALU_HEADER, serializeNalu } from './nal-unit.ts'

describe('serializeNalu', () => {
  const cases = [
    { rbsp: '010203', nalu: '68010203' },
    { rbsp: '000001', nalu: '6800000301' },
    { rbsp: '0000000000', nalu: '680000030000'.concat('0300') },
    { rbsp: '00000400', nalu: '6800000400' },
    { rbsp: '000003', nalu: '6800000303' },
  ]
  for (const { rbsp, nalu } of cases) {
    it(`keeps start codes out of ${rbsp}`, () => {
      const bytes = serializeNalu(NALU_HEADER.pps, Buffer.from(rbsp, 'hex'))
      expect(bytes.toString('hex')).to.equal(nalu)
      expect(removeEmulationPrevention(bytes).toString('hex')).to.equal(`68${rbsp}`)
    })
  }
})
