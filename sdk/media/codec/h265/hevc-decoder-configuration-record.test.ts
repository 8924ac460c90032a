import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import {
  parseHevcDecoderConfigurationRecord as parse,
  serializeHevcDecoderConfigurationRecord as serialize,
} from './hevc-decoder-configuration-record.ts'
import type { HevcDecoderConfigurationRecord } from './hevc-decoder-configuration-record.ts'

const fromHex = (hex: string) => Buffer.from(hex, 'hex')
const VPS = '40010c01ffff01600000030090000003000003003c959809'
const SPS = '42010101600000030090000003000003003ca00a080b9f796566924caf016808000003000800000300c840'
const PPS = '4401c172b46240'

const MAIN: HevcDecoderConfigurationRecord = {
  profileTierLevel: {
    profileSpace: 0,
    tierFlag: 0,
    profileIdc: 1,
    profileCompatibilityFlags: 0x60000000,
    constraintFlags: 0x900000000000,
    levelIdc: 60,
  },
  minSpatialSegmentationIdc: 0,
  parallelismType: 0,
  chromaFormatIdc: 1,
  bitDepthLuma: 8,
  bitDepthChroma: 8,
  avgFrameRate: 0,
  constantFrameRate: 0,
  numTemporalLayers: 1,
  temporalIdNested: true,
  lengthSize: 4,
  arrays: [
    { complete: true, type: 32, nalus: [fromHex(VPS)] },
    { complete: true, type: 33, nalus: [fromHex(SPS)] },
    { complete: true, type: 34, nalus: [fromHex(PPS)] },
  ],
}

const cases: { name: string; hex: string; record: HevcDecoderConfigurationRecord }[] = [
  {
    name: 'Main (ffmpeg)',
    hex: `0101600000009000000000003cf000fcfdf8f800000f03a000010018${VPS}a10001002b${SPS}a200010007${PPS}`,
    record: MAIN,
  },
  {
    name: 'every field set, no arrays',
    hex: '01a2200000009000000001 02 99 f123 fe fe fafb 1770 93 00'.replaceAll(' ', ''),
    record: {
      profileTierLevel: {
        profileSpace: 2,
        tierFlag: 1,
        profileIdc: 2,
        profileCompatibilityFlags: 0x20000000,
        constraintFlags: 0x900000000102,
        levelIdc: 153,
      },
      minSpatialSegmentationIdc: 0x123,
      parallelismType: 2,
      chromaFormatIdc: 2,
      bitDepthLuma: 10,
      bitDepthChroma: 11,
      avgFrameRate: 6000,
      constantFrameRate: 2,
      numTemporalLayers: 2,
      temporalIdNested: false,
      lengthSize: 4,
      arrays: [],
    },
  },
]

describe('HevcDecoderConfigurationRecord', () => {
  for (const { name, hex, record } of cases) {
    it(`parses ${name}`, () => expect(parse(fromHex(hex))).to.deep.equal(record))
    it(`serializes ${name}`, () => expect(serialize(record).toString('hex')).to.equal(hex))
  }

  it('drops empty units and takes version 0', () => {
    const header = cases[1]!.hex.slice(2, -2)
    expect(parse(fromHex(`00${header}012000020000000140`)).arrays).to.deep.equal([
      { complete: false, type: 32, nalus: [fromHex('40')] },
    ])
  })

  it('refuses other versions and what is cut off', () => {
    const whole = fromHex(cases[0]!.hex)
    for (let size = 0; size < whole.length; size++) {
      expect(() => parse(whole.subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
    whole[0] = 2
    expect(() => parse(whole)).to.throw(MalformedError, 'hvcC of version 2')
  })

  it('refuses to write more than fits', () => {
    const array = { complete: true, type: 33, nalus: [Buffer.alloc(65_536)] }
    expect(() => serialize({ ...MAIN, arrays: [array] })).to.throw(MalformedError, '65536 bytes')
    const arrays = Array.from({ length: 256 }, () => ({ ...array, nalus: [] }))
    expect(() => serialize({ ...MAIN, arrays })).to.throw(MalformedError, '256 arrays')
    const nalus = Array<Buffer>(65_536).fill(Buffer.alloc(1))
    expect(() => serialize({ ...MAIN, arrays: [{ ...array, nalus }] })).to.throw(MalformedError, '65536 NAL units')
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => fromHex(hex)),
      (bytes) => {
        const record = parse(bytes)
        expect(parse(serialize(record))).to.deep.equal(record)
      },
    )
  })
})
