import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fuzz } from '../test/fuzz.ts'
import { flacConfig } from './config.ts'
import { parseFlacStreamInfo, serializeFlacStreamInfo } from './stream-info.ts'
import type { FlacStreamInfo } from './stream-info.ts'

const cases: { name: string; hex: string; info: FlacStreamInfo }[] = [
  {
    name: 'one that ffmpeg wrote',
    hex: '120012000000c70005110bb802f000002580d9b81de011fef694f3e1d33694c8ae61',
    info: {
      minBlockSize: 4608,
      maxBlockSize: 4608,
      minFrameSizeBytes: 199,
      maxFrameSizeBytes: 1297,
      sampleRate: 48_000,
      channels: 2,
      bitsPerSample: 16,
      totalSamples: 9600,
      md5: Buffer.from('d9b81de011fef694f3e1d33694c8ae61', 'hex'),
    },
  },
  {
    name: 'the largest values',
    hex: `0010ffff000000ffffff${'ff'.repeat(24)}`,
    info: {
      minBlockSize: 16,
      maxBlockSize: 65_535,
      minFrameSizeBytes: 0,
      maxFrameSizeBytes: 0xffffff,
      sampleRate: 0xfffff,
      channels: 8,
      bitsPerSample: 32,
      totalSamples: 2 ** 36 - 1,
      md5: Buffer.alloc(16, 0xff),
    },
  },
]

const first = () => Buffer.from(cases[0]!.hex, 'hex')

describe('FlacStreamInfo', () => {
  for (const { name, hex, info } of cases) {
    it(`parses ${name}`, () => expect(parseFlacStreamInfo(Buffer.from(hex, 'hex'))).to.deep.equal(info))
    it(`serializes ${name}`, () => expect(serializeFlacStreamInfo(info).toString('hex')).to.equal(hex))
  }

  it('refuses other lengths and forbidden values', () => {
    expect(() => parseFlacStreamInfo(first().subarray(1))).to.throw(MalformedError, '33 bytes')
    const smallBlocks = first()
    smallBlocks.writeUInt16BE(15)
    expect(() => parseFlacStreamInfo(smallBlocks)).to.throw(MalformedError, 'blocks of 15 to 4608')
    const unordered = first()
    unordered.writeUInt16BE(16, 2)
    expect(() => parseFlacStreamInfo(unordered)).to.throw(MalformedError, 'blocks of 4608 to 16')
    const silent = first()
    silent.fill(0, 10, 13)
    expect(() => parseFlacStreamInfo(silent)).to.throw(MalformedError, 'rate of 0')
  })

  it('takes any bytes', () => {
    fuzz(
      cases.map(({ hex }) => Buffer.from(hex, 'hex')),
      (bytes) => expect(serializeFlacStreamInfo(parseFlacStreamInfo(bytes))).to.deep.equal(bytes),
    )
  })
})

describe('flacConfig', () => {
  const config = { record: first(), sampleRate: 48_000, channels: 2, codecString: 'flac' }

  it('describes a bare STREAMINFO', () => expect(flacConfig(first())).to.deep.equal(config))

  it('describes the start of a file', () => {
    const file = Buffer.concat([Buffer.from('664c614300000022', 'hex'), first(), Buffer.from('84000028', 'hex')])
    expect(flacConfig(file)).to.deep.equal(config)
  })

  it('refuses what is cut off', () => {
    expect(() => flacConfig(Buffer.from('664c614300000022', 'hex'))).to.throw(MalformedError)
    expect(() => flacConfig(Buffer.alloc(0))).to.throw(MalformedError)
  })
})
