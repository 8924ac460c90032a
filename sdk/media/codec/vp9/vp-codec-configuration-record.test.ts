import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { vp9Config, vp9ConfigFromKeyframe } from './config.ts'
import { parseVp9FrameHeader } from './frame-header.ts'
import {
  parseVpCodecConfigurationRecord as parse,
  serializeVpCodecConfigurationRecord as serialize,
} from './vp-codec-configuration-record.ts'
import type { VpCodecConfigurationRecord } from './vp-codec-configuration-record.ts'

const UNSPECIFIED = { colourPrimaries: 2, transferCharacteristics: 2, matrixCoefficients: 2 }

// The first two are from ffmpeg.
const cases: { name: string; hex: string; codecString: string; record: VpCodecConfigurationRecord }[] = [
  {
    name: 'profile 0',
    hex: '000b820202020000',
    codecString: 'vp09.00.11.08',
    record: { profile: 0, level: 11, bitDepth: 8, chromaSubsampling: 1, fullRange: false, ...UNSPECIFIED },
  },
  {
    name: 'profile 3',
    hex: '030ba60202020000',
    codecString: 'vp09.03.11.10',
    record: { profile: 3, level: 11, bitDepth: 10, chromaSubsampling: 3, fullRange: false, ...UNSPECIFIED },
  },
  {
    name: 'BT.2020 in full range',
    hex: '0233c30910090000',
    codecString: 'vp09.02.51.12',
    record: {
      profile: 2,
      level: 51,
      bitDepth: 12,
      chromaSubsampling: 1,
      fullRange: true,
      colourPrimaries: 9,
      transferCharacteristics: 16,
      matrixCoefficients: 9,
    },
  },
]

describe('VpCodecConfigurationRecord', () => {
  for (const { name, hex, record } of cases) {
    it(`parses ${name}`, () => expect(parse(Buffer.from(hex, 'hex'))).to.deep.equal(record))
    it(`serializes ${name}`, () => expect(serialize(record).toString('hex')).to.equal(hex))
  }

  it('refuses what is cut off', () => {
    expect(() => parse(Buffer.from('000b8202020200', 'hex'))).to.throw(MalformedError, 'vpcC of 7 bytes')
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => {
        const record = parse(bytes)
        expect(parse(serialize(record))).to.deep.equal(record)
      },
    )
  })
})

describe('vp9Config', () => {
  for (const { name, hex, codecString } of cases) {
    it(`describes ${name}, with and without version and flags`, () => {
      const config = { record: Buffer.from(hex, 'hex'), width: 0, height: 0, codecString }
      expect(vp9Config(Buffer.from(hex, 'hex'))).to.deep.equal(config)
      expect(vp9Config(Buffer.from(`01000000${hex}`, 'hex'))).to.deep.equal(config)
    })
  }

  it('refuses broken records', () => {
    expect(() => vp9Config(Buffer.alloc(0))).to.throw(MalformedError)
    expect(() => vp9Config(Buffer.from('01000000000b82', 'hex'))).to.throw(MalformedError)
  })
})

describe('vp9ConfigFromKeyframe', () => {
  const header = parseVp9FrameHeader(Buffer.from('824983420013f00b36043824', 'hex'))
  if (!header.keyframe) throw new Error('not a keyframe')

  it('makes the record that ffmpeg makes', () => {
    const record = Buffer.from(cases[0]!.hex, 'hex')
    const config = { record, width: 320, height: 180, codecString: 'vp09.00.11.08' }
    expect(vp9ConfigFromKeyframe(header)).to.deep.equal(config)
  })

  const variants = [
    { change: { width: 1920, height: 1080 }, hex: '0028820202020000' },
    { change: { width: 16_384, height: 16_384 }, hex: '003e820202020000' },
    { change: { profile: 1, subsamplingY: 0 }, hex: '010b840202020000' },
    { change: { profile: 1, subsamplingX: 0 }, hex: '010b860202020000' },
    {
      change: { profile: 1, subsamplingX: 0, subsamplingY: 0, colorSpace: 7, fullRange: true },
      hex: '010b87010d000000',
    },
  ]
  for (const { change, hex } of variants) {
    it(`makes ${hex} from ${JSON.stringify(change)}`, () => {
      expect(vp9ConfigFromKeyframe({ ...header, ...change }).record.toString('hex')).to.equal(hex)
    })
  }
})
