import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import {
  parseAudioSpecificConfig as parse,
  serializeAudioSpecificConfig as serialize,
} from './audio-specific-config.ts'
import type { AudioSpecificConfig } from './audio-specific-config.ts'

const LC: AudioSpecificConfig = {
  objectType: 2,
  sampleRate: 48_000,
  channelConfiguration: 2,
  shortFrames: false,
  coreCoderDelay: undefined,
  programConfig: undefined,
  extension: undefined,
}
const NO_SBR = { signalling: 'compatible', sbr: false, ps: undefined, sampleRate: 48_000 } as const
const OCTAGONAL = {
  tag: 0,
  objectType: 1,
  samplingFrequencyIndex: 3,
  front: [
    { pair: true, tag: 0 },
    { pair: false, tag: 0 },
  ],
  side: [{ pair: true, tag: 1 }],
  back: [
    { pair: true, tag: 2 },
    { pair: false, tag: 1 },
  ],
  lfeTags: [],
  associatedDataTags: [],
  coupling: [],
  monoMixdownTag: undefined,
  stereoMixdownTag: undefined,
  matrixMixdown: undefined,
  comment: Buffer.from('Lavc59.37.100'),
}

const cases: { name: string; hex: string; config: AudioSpecificConfig }[] = [
  { name: 'LC', hex: '1190', config: LC },
  { name: 'LC with SBR denied (ffmpeg)', hex: '119056e500', config: { ...LC, extension: NO_SBR } },
  {
    name: 'LC of 5.1 (ffmpeg)',
    hex: '11b056e500',
    config: { ...LC, channelConfiguration: 6, extension: NO_SBR },
  },
  {
    name: 'Main, mono (ffmpeg)',
    hex: '098856e500',
    config: { ...LC, objectType: 1, channelConfiguration: 1, extension: NO_SBR },
  },
  {
    name: 'LC with a layout of its own (ffmpeg, octagonal)',
    hex: '118004c848002008c8200d4c61766335392e33372e31303056e500',
    config: { ...LC, channelConfiguration: 0, programConfig: OCTAGONAL, extension: NO_SBR },
  },
  {
    name: 'LC of 960 samples and a rate outside the table',
    hex: '178063ff14',
    config: { ...LC, sampleRate: 51_198, shortFrames: true },
  },
  {
    name: 'HE, signalled before the core',
    hex: '2b118800',
    config: {
      ...LC,
      sampleRate: 24_000,
      extension: { signalling: 'hierarchical', sbr: true, ps: undefined, sampleRate: 48_000 },
    },
  },
  {
    name: 'HE version 2, signalled before the core',
    hex: 'eb098800',
    config: {
      ...LC,
      sampleRate: 24_000,
      channelConfiguration: 1,
      extension: { signalling: 'hierarchical', sbr: true, ps: true, sampleRate: 48_000 },
    },
  },
  {
    name: 'HE, signalled at the end',
    hex: '131056e598',
    config: {
      ...LC,
      sampleRate: 24_000,
      extension: { signalling: 'compatible', sbr: true, ps: undefined, sampleRate: 48_000 },
    },
  },
  {
    name: 'HE version 2, signalled at the end',
    hex: '130856e59d4880',
    config: {
      ...LC,
      sampleRate: 24_000,
      channelConfiguration: 1,
      extension: { signalling: 'compatible', sbr: true, ps: true, sampleRate: 48_000 },
    },
  },
]

describe('AudioSpecificConfig', () => {
  for (const { name, hex, config } of cases) {
    it(`parses ${name}`, () => expect(parse(Buffer.from(hex, 'hex'))).to.deep.equal(config))
    it(`serializes ${name}`, () => expect(serialize(config).toString('hex')).to.equal(hex))
  }

  it('parses what all types have in common, and writes only plain ones', () => {
    // AAC-ELD at 44.1 kHz in stereo with frames of 480 samples.
    const config = parse(Buffer.from('f8e85000', 'hex'))
    expect(config).to.include({ objectType: 39, sampleRate: 44_100, channelConfiguration: 2, shortFrames: true })
    expect(() => serialize(config)).to.throw(MalformedError, 'type 39 cannot be written')
  })

  it('writes a delay of the core coder', () => {
    const config = { ...LC, coreCoderDelay: 0x1234 }
    expect(parse(serialize(config))).to.deep.equal(config)
  })

  it('writes every part of a layout', () => {
    const programConfig = {
      ...OCTAGONAL,
      lfeTags: [1, 2],
      associatedDataTags: [3],
      coupling: [{ independentlySwitched: true, tag: 4 }],
      monoMixdownTag: 5,
      stereoMixdownTag: 6,
      matrixMixdown: 7,
    }
    const config = { ...LC, channelConfiguration: 0, programConfig }
    expect(parse(serialize(config))).to.deep.equal(config)
  })

  it('refuses reserved rates and what is cut off', () => {
    expect(() => parse(Buffer.from('1690', 'hex'))).to.throw(MalformedError, 'samplingFrequencyIndex 13 is reserved')
    expect(() => parse(Buffer.from('1780000010', 'hex'))).to.throw(MalformedError, 'frequency of 0')
    expect(() => parse(Buffer.alloc(0))).to.throw(MalformedError)
    expect(() => parse(Buffer.from('11', 'hex'))).to.throw(MalformedError)
    expect(() => parse(Buffer.from('118004c848002008c8200d4c', 'hex'))).to.throw(MalformedError)
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => {
        const config = parse(bytes)
        if (config.objectType > 0 && config.objectType <= 4) expect(parse(serialize(config))).to.deep.equal(config)
      },
    )
  })
})
