import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { opusConfig } from './config.ts'
import { parseOpusHead, serializeOpusHead } from './opus-head.ts'
import type { OpusHead } from './opus-head.ts'

const STEREO: OpusHead = {
  version: 1,
  channels: 2,
  preSkip: 312,
  inputSampleRate: 48_000,
  outputGain: 0,
  mappingFamily: 0,
  mapping: undefined,
}

// The first two are from ffmpeg.
const cases: { name: string; hex: string; head: OpusHead }[] = [
  { name: 'stereo', hex: '4f707573486561640102380180bb0000000000', head: STEREO },
  {
    name: '5.1',
    hex: '4f707573486561640106380180bb00000000010402000401020305',
    head: {
      ...STEREO,
      channels: 6,
      mappingFamily: 1,
      mapping: { streamCount: 4, coupledCount: 2, channels: [0, 4, 1, 2, 3, 5] },
    },
  },
  {
    name: 'a gain below zero and a silent channel',
    hex: '4f707573486561640102380100000000ffffff010000ff',
    head: {
      ...STEREO,
      inputSampleRate: 0,
      outputGain: -1,
      mappingFamily: 255,
      mapping: { streamCount: 1, coupledCount: 0, channels: [0, 255] },
    },
  },
]

const withByte = (hex: string, offset: number, value: number) => {
  const bytes = Buffer.from(hex, 'hex')
  bytes[offset] = value
  return bytes
}

describe('OpusHead', () => {
  for (const { name, hex, head } of cases) {
    it(`parses ${name}`, () => expect(parseOpusHead(Buffer.from(hex, 'hex'))).to.deep.equal(head))
    it(`serializes ${name}`, () => expect(serializeOpusHead(head).toString('hex')).to.equal(hex))
  }

  it('refuses what breaks a rule', () => {
    const [stereo, surround] = cases.map(({ hex }) => hex) as [string, string]
    expect(() => parseOpusHead(withByte(stereo, 0, 0))).to.throw(MalformedError, 'no OpusHead')
    expect(() => parseOpusHead(withByte(stereo, 8, 16))).to.throw(MalformedError, 'version 16')
    expect(() => parseOpusHead(withByte(stereo, 9, 0))).to.throw(MalformedError, '0 channels')
    expect(() => parseOpusHead(withByte(stereo, 9, 3))).to.throw(MalformedError, '3 channels')
    expect(() => parseOpusHead(withByte(surround, 19, 0))).to.throw(MalformedError, '0 streams')
    expect(() => parseOpusHead(withByte(surround, 20, 5))).to.throw(MalformedError, '5 of them coupled')
    expect(() => parseOpusHead(withByte(surround, 26, 6))).to.throw(MalformedError, 'channel 6 of 6')
    for (let size = 0; size < 27; size++) {
      expect(() => parseOpusHead(Buffer.from(surround, 'hex').subarray(0, size))).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => {
        const head = parseOpusHead(bytes)
        expect(parseOpusHead(serializeOpusHead(head))).to.deep.equal(head)
      },
    )
  })
})

describe('opusConfig', () => {
  it('describes a header and keeps it', () => {
    const record = Buffer.from(cases[1]!.hex, 'hex')
    expect(opusConfig(record)).to.deep.equal({ record, sampleRate: 48_000, channels: 6, codecString: 'opus' })
  })
})
