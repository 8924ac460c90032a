import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import {
  parseAvcDecoderConfigurationRecord as parse,
  serializeAvcDecoderConfigurationRecord as serialize,
} from './avc-decoder-configuration-record.ts'
import type { AvcDecoderConfigurationRecord } from './avc-decoder-configuration-record.ts'

const fromHex = (hex: string) => Buffer.from(hex, 'hex')
const BASELINE_SPS = '6742c00cd901419f9f011000000300100000030320f142a480'
const HIGH_10_SPS = '676e000ca6cd941419f9f011000003000100000300320f142996'

const cases: { name: string; hex: string; record: AvcDecoderConfigurationRecord }[] = [
  {
    name: 'Baseline (ffmpeg)',
    hex: `0142c00cffe10019${BASELINE_SPS}01000568cb83cb20`,
    record: {
      profileIdc: 66,
      constraintFlags: 0xc0,
      levelIdc: 12,
      lengthSize: 4,
      sps: [fromHex(BASELINE_SPS)],
      pps: [fromHex('68cb83cb20')],
    },
  },
  {
    name: 'High 10 with depths (ffmpeg)',
    hex: `016e000cffe1001a${HIGH_10_SPS}01000668ebe3cb22c0fdfafa00`,
    record: {
      profileIdc: 110,
      constraintFlags: 0,
      levelIdc: 12,
      lengthSize: 4,
      sps: [fromHex(HIGH_10_SPS)],
      pps: [fromHex('68ebe3cb22c0')],
      chroma: { chromaFormatIdc: 1, bitDepthLuma: 10, bitDepthChroma: 10, spsExtensions: [] },
    },
  },
  {
    name: 'High without depths, lengths of 2 bytes, two PPS',
    hex: '01640028fde10002 6764 02 0001 68 0002 68eb'.replaceAll(' ', ''),
    record: {
      profileIdc: 100,
      constraintFlags: 0,
      levelIdc: 40,
      lengthSize: 2,
      sps: [fromHex('6764')],
      pps: [fromHex('68'), fromHex('68eb')],
    },
  },
  {
    name: 'High with an SPS extension',
    hex: '01640028ffe10001670100 0168 fdf8f8 01 0002 6dff'.replaceAll(' ', ''),
    record: {
      profileIdc: 100,
      constraintFlags: 0,
      levelIdc: 40,
      lengthSize: 4,
      sps: [fromHex('67')],
      pps: [fromHex('68')],
      chroma: { chromaFormatIdc: 1, bitDepthLuma: 8, bitDepthChroma: 8, spsExtensions: [fromHex('6dff')] },
    },
  },
  {
    name: 'no parameter sets (avc3)',
    hex: '01640028ffe000',
    record: { profileIdc: 100, constraintFlags: 0, levelIdc: 40, lengthSize: 4, sps: [], pps: [] },
  },
]

describe('AvcDecoderConfigurationRecord', () => {
  for (const { name, hex, record } of cases) {
    it(`parses ${name}`, () => expect(parse(fromHex(hex))).to.deep.equal(record))
    it(`serializes ${name}`, () => expect(serialize(record).toString('hex')).to.equal(hex))
  }

  it('drops empty parameter sets', () => {
    expect(parse(fromHex('0142c01effe2000000016701000168'))).to.deep.include({
      sps: [fromHex('67')],
      pps: [fromHex('68')],
    })
  })

  it('refuses other versions and what is cut off', () => {
    expect(() => parse(fromHex('0042c00cffe000'))).to.throw(MalformedError, 'avcC of version 0')
    const whole = fromHex(cases[0]!.hex)
    for (let size = 0; size < whole.length; size++) {
      expect(() => parse(whole.subarray(0, size)), `${size} bytes`).to.throw(MalformedError)
    }
  })

  it('refuses to write more than fits', () => {
    const record = cases[0]!.record
    const set = Buffer.from('67', 'hex')
    expect(() => serialize({ ...record, sps: Array<Buffer>(32).fill(set) })).to.throw(MalformedError, '32 SPS')
    expect(() => serialize({ ...record, pps: Array<Buffer>(256).fill(set) })).to.throw(MalformedError, '256 PPS')
    expect(() => serialize({ ...record, sps: [Buffer.alloc(65_536)] })).to.throw(MalformedError, '65536 bytes')
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
