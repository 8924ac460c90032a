import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { parseAvcDecoderConfigurationRecord } from './avc-decoder-configuration-record.ts'
import { h264Config, h264ConfigFromParameterSets } from './config.ts'

// avcC boxes that ffmpeg wrote for libx264.
const cases = [
  {
    hex: '0142c00cffe100196742c00cd901419f9f011000000300100000030320f142a48001000568cb83cb20',
    codecString: 'avc1.42c00c',
    size: [320, 180],
  },
  {
    hex: '01640028ffe1001967640028acd940780227e5c04400000fa40003a9803c60c65801000668ebe3cb22c0fdf8f800',
    codecString: 'avc1.640028',
    size: [1920, 1080],
  },
  {
    hex: '01f4000cffe1001967f4000c919b282833f1b808800000030080000019078a14cb01000668ebe3c44844fff8f800',
    codecString: 'avc1.f4000c',
    size: [320, 180],
  },
] as const

describe('h264Config', () => {
  for (const { hex, codecString, size } of cases) {
    const [width, height] = size
    const record = Buffer.from(hex, 'hex')

    it(`describes ${codecString}`, () => {
      const config = h264Config(record)
      expect(config).to.deep.equal({ record, width, height, codecString })
      expect(config.record).to.equal(record)
    })

    it(`makes the same record from the parameter sets of ${codecString}`, () => {
      const { sps, pps } = parseAvcDecoderConfigurationRecord(record)
      expect(h264ConfigFromParameterSets(sps[0]!, pps[0]!)).to.deep.equal({ record, width, height, codecString })
    })
  }

  it('leaves the size out when the SPS is odd or missing', () => {
    const size = { width: 0, height: 0 }
    expect(h264Config(Buffer.from('01640028ffe1000367ffff01000168', 'hex'))).to.include(size)
    expect(h264Config(Buffer.from('01640028ffe000', 'hex'))).to.include({ ...size, codecString: 'avc1.640028' })
    expect(h264ConfigFromParameterSets(Buffer.from('67640028', 'hex'), Buffer.from('68', 'hex'))).to.include(size)
  })

  it('refuses broken records and parameter sets', () => {
    expect(() => h264Config(Buffer.from('01640028ffe10003', 'hex'))).to.throw(MalformedError)
    expect(() => h264ConfigFromParameterSets(Buffer.from('6764', 'hex'), Buffer.alloc(1))).to.throw(MalformedError)
  })
})
