import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { parseAdtsHeader, serializeAdtsHeader, splitAdts } from './adts.ts'
import type { AdtsFormat } from './adts.ts'

const fromHex = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex')

// The first two are headers that ffmpeg wrote.
const cases: { name: string; hex: string; format: AdtsFormat; dataSizeBytes: number }[] = [
  {
    name: 'LC in stereo',
    hex: 'fff14c8024fffc',
    format: { objectType: 2, sampleRate: 48_000, channelConfiguration: 2 },
    dataSizeBytes: 288,
  },
  {
    name: 'LC in mono',
    hex: 'fff14c401b7ffc',
    format: { objectType: 2, sampleRate: 48_000, channelConfiguration: 1 },
    dataSizeBytes: 212,
  },
  {
    name: 'the largest frame of LTP in 7.1',
    hex: 'fff1f1c3fffffc',
    format: { objectType: 4, sampleRate: 7350, channelConfiguration: 7 },
    dataSizeBytes: 8184,
  },
]

const FRAME = 'fff14c80013ffc aabb' // two bytes of data
const PROTECTED_FRAME = 'fff04c80017ffc 1234 ccdd'
const STEREO = { objectType: 2, sampleRate: 48_000, channelConfiguration: 2 }

describe('ADTS header', () => {
  for (const { name, hex, format, dataSizeBytes } of cases) {
    it(`parses that of ${name}`, () => {
      const sizes = { headerSizeBytes: 7, frameSizeBytes: 7 + dataSizeBytes }
      expect(parseAdtsHeader(fromHex(hex))).to.deep.equal({ ...format, ...sizes })
    })
    it(`serializes that of ${name}`, () => {
      expect(serializeAdtsHeader(format, dataSizeBytes).toString('hex')).to.equal(hex)
    })
  }

  it('is null when it is not all there', () => {
    expect(parseAdtsHeader(fromHex('fff14c8024ff'))).to.equal(null)
    expect(parseAdtsHeader(fromHex('00fff14c8024fffc'), 2)).to.equal(null)
  })

  it('refuses what is no header, or not one of a single frame', () => {
    expect(() => parseAdtsHeader(fromHex('fff34c8024fffc'))).to.throw(
      MalformedError,
      'no ADTS syncword at byte 0: fff3',
    )
    expect(() => parseAdtsHeader(fromHex('fff1748024fffc'))).to.throw(MalformedError, 'Index 13 is reserved')
    expect(() => parseAdtsHeader(fromHex('fff14c8000dffc'))).to.throw(MalformedError, 'frame of 6 bytes')
    expect(() => parseAdtsHeader(fromHex('fff14c8024fffd'))).to.throw(MalformedError, '2 raw data blocks')
  })

  it('refuses to write what has no room', () => {
    expect(() => serializeAdtsHeader({ ...STEREO, objectType: 5 }, 1)).to.throw(MalformedError, 'type 5')
    expect(() => serializeAdtsHeader({ ...STEREO, sampleRate: 50_000 }, 1)).to.throw(MalformedError, '50000')
    expect(() => serializeAdtsHeader({ ...STEREO, channelConfiguration: 11 }, 1)).to.throw(MalformedError, 'layout 11')
    expect(() => serializeAdtsHeader(STEREO, 8185)).to.throw(MalformedError, '8185 bytes')
  })
})

describe('splitAdts', () => {
  it('splits frames, with and without checksum', () => {
    const { frames, rest } = splitAdts(fromHex(FRAME + PROTECTED_FRAME))
    expect(frames).to.deep.equal([
      { ...STEREO, data: fromHex('aabb') },
      { ...STEREO, data: fromHex('ccdd') },
    ])
    expect(rest).to.have.length(0)
  })

  it('gives back the start of a frame', () => {
    for (let size = 0; size < 9; size++) {
      const { frames, rest } = splitAdts(fromHex(FRAME + FRAME).subarray(0, 9 + size))
      expect(frames).to.have.length(1)
      expect(rest).to.have.length(size)
    }
  })

  it('drops empty frames', () => {
    expect(splitAdts(fromHex(`fff14c8000fffc ${FRAME}`)).frames).to.have.length(1)
  })

  it('refuses frames that do not follow one another', () => {
    expect(() => splitAdts(fromHex(`${FRAME} 00 ${FRAME}`))).to.throw(MalformedError, 'no ADTS syncword at byte 9')
  })

  it('takes any bytes', () => {
    fuzz([fromHex(FRAME), fromHex(FRAME + PROTECTED_FRAME), fromHex(cases[0]!.hex)], (bytes) => {
      const { frames, rest } = splitAdts(bytes)
      for (const frame of frames) {
        const header = serializeAdtsHeader(frame, frame.data.length)
        expect(splitAdts(Buffer.concat([header, frame.data])).frames).to.deep.equal([frame])
      }
      expect(rest.length).to.be.at.most(bytes.length)
    })
  })
})
