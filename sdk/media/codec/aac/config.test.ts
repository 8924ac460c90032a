import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { parseAudioSpecificConfig } from './audio-specific-config.ts'
import { aacConfig, aacConfigFromAdts, aacSamplesPerFrame } from './config.ts'

const cases = [
  { hex: '1190', sampleRate: 48_000, channels: 2, codecString: 'mp4a.40.2', samples: 1024 },
  { hex: '119056e500', sampleRate: 48_000, channels: 2, codecString: 'mp4a.40.2', samples: 1024 },
  { hex: '11b056e500', sampleRate: 48_000, channels: 6, codecString: 'mp4a.40.2', samples: 1024 },
  { hex: '098856e500', sampleRate: 48_000, channels: 1, codecString: 'mp4a.40.1', samples: 1024 },
  { hex: '11b8', sampleRate: 48_000, channels: 8, codecString: 'mp4a.40.2', samples: 1024 },
  {
    hex: '118004c848002008c8200d4c61766335392e33372e31303056e500',
    sampleRate: 48_000,
    channels: 8,
    codecString: 'mp4a.40.2',
    samples: 1024,
  },
  { hex: '131056e598', sampleRate: 48_000, channels: 2, codecString: 'mp4a.40.5', samples: 1024 },
  { hex: 'eb098800', sampleRate: 48_000, channels: 2, codecString: 'mp4a.40.29', samples: 1024 },
  { hex: '1194', sampleRate: 48_000, channels: 2, codecString: 'mp4a.40.2', samples: 960 },
  { hex: 'f8e85000', sampleRate: 44_100, channels: 2, codecString: 'mp4a.40.39', samples: 480 },
] as const

describe('aacConfig', () => {
  for (const { hex, sampleRate, channels, codecString, samples } of cases) {
    const record = Buffer.from(hex, 'hex')

    it(`describes ${hex}`, () => {
      expect(aacConfig(record)).to.deep.equal({ record, sampleRate, channels, codecString })
    })

    it(`knows the samples in a frame of ${hex}`, () => {
      expect(aacSamplesPerFrame(parseAudioSpecificConfig(record))).to.equal(samples)
    })
  }

  it('refuses reserved channel layouts', () => {
    expect(() => aacConfig(Buffer.from('11c0', 'hex'))).to.throw(MalformedError, 'channelConfiguration 8')
  })
})

describe('aacConfigFromAdts', () => {
  it('makes an AudioSpecificConfig', () => {
    const format = { objectType: 2, sampleRate: 44_100, channelConfiguration: 2 }
    expect(aacConfigFromAdts(format)).to.deep.equal({
      record: Buffer.from('1210', 'hex'),
      sampleRate: 44_100,
      channels: 2,
      codecString: 'mp4a.40.2',
    })
    expect(() => aacConfigFromAdts({ ...format, channelConfiguration: 0 })).to.throw(MalformedError)
  })
})
