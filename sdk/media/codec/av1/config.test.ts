import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { av1Config, av1ConfigFromSequenceHeader } from './config.ts'
import { splitObus } from './obu.ts'

// av1C boxes that ffmpeg wrote for SVT-AV1 and libaom.
const cases = [
  { hex: '81000c000a0b000000043cfecc02f80040', codecString: 'av01.0.00M.08' },
  { hex: '81004c000a0b000000043cfeccdaf94040', codecString: 'av01.0.00M.10' },
]

describe('av1Config', () => {
  for (const { hex, codecString } of cases) {
    const record = Buffer.from(hex, 'hex')
    const config = { record, width: 320, height: 180, codecString }

    it(`describes ${codecString} and keeps the record`, () => {
      expect(av1Config(record)).to.deep.equal(config)
      expect(av1Config(record).record).to.equal(record)
    })

    it(`makes the same record from the sequence header of ${codecString}`, () => {
      const [header] = splitObus(Buffer.from(hex.slice(8), 'hex'))
      expect(av1ConfigFromSequenceHeader(header!)).to.deep.equal(config)
    })
  }

  it('leaves the size out when the sequence header is odd or missing', () => {
    for (const hex of ['814dfa00', '814dfa000a0100', '814dfa000aff']) {
      const config = av1Config(Buffer.from(hex, 'hex'))
      expect(config, hex).to.include({ width: 0, height: 0, codecString: 'av01.2.13H.12' })
    }
  })

  it('refuses broken records', () => {
    expect(() => av1Config(Buffer.alloc(0))).to.throw(MalformedError)
  })
})
