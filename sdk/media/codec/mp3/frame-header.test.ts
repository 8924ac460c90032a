import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { mp3Config } from './config.ts'
import { parseMp3FrameHeader } from './frame-header.ts'
import type { Mp3FrameHeader } from './frame-header.ts'

const LAYER_3 = { version: 1, layer: 3, samplesPerFrame: 1152 } as const
const MPEG_2 = { version: 2, layer: 3, samplesPerFrame: 576 } as const

// The first three are frames of libmp3lame and ffmpeg, whose sizes lead to the next.
const cases: { name: string; hex: string; codecString: string; header: Mp3FrameHeader }[] = [
  {
    name: 'MPEG-1 layer III',
    hex: 'fffb54c0',
    codecString: 'mp4a.6B',
    header: { ...LAYER_3, bitrate: 64_000, sampleRate: 48_000, channels: 1, sizeBytes: 192 },
  },
  {
    name: 'MPEG-2 layer III',
    hex: 'fff370c0',
    codecString: 'mp4a.69',
    header: { ...MPEG_2, bitrate: 56_000, sampleRate: 22_050, channels: 1, sizeBytes: 182 },
  },
  {
    name: 'MPEG-1 layer II',
    hex: 'fffde4c4',
    codecString: 'mp4a.6B',
    header: {
      version: 1,
      layer: 2,
      bitrate: 384_000,
      sampleRate: 48_000,
      channels: 1,
      sizeBytes: 1152,
      samplesPerFrame: 1152,
    },
  },
  {
    name: 'padding, in joint stereo',
    hex: 'fffb9264',
    codecString: 'mp4a.6B',
    header: { ...LAYER_3, bitrate: 128_000, sampleRate: 44_100, channels: 2, sizeBytes: 418 },
  },
  {
    name: 'MPEG-2.5',
    hex: 'ffe34000',
    codecString: 'mp4a.69',
    header: { ...MPEG_2, version: 2.5, bitrate: 32_000, sampleRate: 11_025, channels: 2, sizeBytes: 208 },
  },
  {
    name: 'MPEG-1 layer I with padding',
    hex: 'ffffc200',
    codecString: 'mp4a.6B',
    header: {
      version: 1,
      layer: 1,
      bitrate: 384_000,
      sampleRate: 44_100,
      channels: 2,
      sizeBytes: 420,
      samplesPerFrame: 384,
    },
  },
]

describe('parseMp3FrameHeader', () => {
  for (const { name, hex, header } of cases) {
    it(`parses ${name}`, () => expect(parseMp3FrameHeader(Buffer.from(hex, 'hex'))).to.deep.equal(header))
  }

  it('refuses reserved values, free format and what is cut off', () => {
    for (const hex of ['', 'fffb54', '7ffb54c0', 'ffeb54c0', 'fff954c0', 'fffb5cc0', 'fffb04c0', 'fffbf4c0']) {
      expect(() => parseMp3FrameHeader(Buffer.from(hex, 'hex')), hex).to.throw(MalformedError)
    }
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => expect(parseMp3FrameHeader(bytes).sizeBytes).to.be.within(4, 2881),
    )
  })
})

describe('mp3Config', () => {
  for (const { name, hex, codecString, header } of cases) {
    it(`describes ${name}`, () => {
      const { sampleRate, channels } = header
      const record = Buffer.alloc(0)
      expect(mp3Config(Buffer.from(hex, 'hex'))).to.deep.equal({ record, sampleRate, channels, codecString })
    })
  }
})
