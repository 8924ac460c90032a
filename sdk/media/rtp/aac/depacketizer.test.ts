import { expect } from 'chai'
import { MalformedError } from '../../errors.ts'
import { fromHex } from '../../container/flv/fixtures/bytes.ts'
import { expectCapturedFrames, fuzzDepacketizer, packetOf, pushAll, textOf } from '../fixtures/audio.ts'
import { fmtpParameters } from '../fixtures/captured.ts'
import type { RtpFormat } from '../format.ts'
import { AacDepacketizer } from './depacketizer.ts'

const HBR = 'mode=AAC-hbr;sizelength=13;indexlength=3;indexdeltalength=3;config=1210'

function formatOf(fmtp: string, clockRate = 44_100, channels = 2): RtpFormat {
  const parameters = fmtpParameters(fmtp)
  return { payloadType: 96, encodingName: 'MPEG4-GENERIC', clockRate, channels, parameters }
}

function create(fmtp = HBR, clockRate = 44_100): AacDepacketizer {
  return new AacDepacketizer(formatOf(fmtp, clockRate))
}

type Piece = readonly [hex: string, timestamp: number, marker: boolean]

function push(depacketizer: AacDepacketizer, pieces: readonly Piece[]): string[] {
  const packets = pieces.map(([hex, timestamp, marker]) => packetOf(fromHex(hex), timestamp, marker))
  return textOf(pushAll(depacketizer, packets))
}

describe('AacDepacketizer', () => {
  for (const [name, count] of [
    ['aac-ffmpeg', 7],
    ['aac-gstreamer', 3],
  ] as const) {
    it(`finds the frames in what was sent: ${name}`, () => {
      const frames = expectCapturedFrames(name, (format) => {
        const depacketizer = new AacDepacketizer(format)
        expect(depacketizer.config).to.include({ sampleRate: 16_000, channels: 1, codecString: 'mp4a.40.2' })
        return depacketizer
      })
      expect(frames.length).to.equal(count)
    })
  }

  const CASES: readonly (readonly [name: string, fmtp: string, clockRate: number, hex: string, frames: string[]])[] = [
    ['one access unit', HBR, 44_100, '0010 0018 aabbcc', ['500 aabbcc']],
    ['three', HBR, 44_100, '0030 0008 0010 0008 01 0203 04', ['500 01', '1524 0203', '2548 04']],
    ['padding after them', HBR, 44_100, '0010 0010 aabb 0000', ['500 aabb']],
    ['an index of the first', HBR, 44_100, '0010 0013 aabb', ['500 aabb']],
    ['an empty one between others', HBR, 44_100, '0030 0008 0000 0008 01 04', ['500 01', '2548 04']],
    ['a missing layout', 'config=1210', 44_100, '0020 0008 0008 01 02', ['500 01', '1524 02']],
    ['a layout of no sizes', 'sizelength=0;indexlength=x;config=1210', 44_100, '0010 0008 01', ['500 01']],
    ['AAC-lbr', 'mode=AAC-lbr;config=1210', 44_100, '0010 08 04 0102 03', ['500 0102', '1524 03']],
    [
      'AAC-lbr, its layout given',
      'mode=generic;sizelength=6;indexlength=2;indexdeltalength=2',
      44_100,
      '0008 04 ff',
      ['500 ff'],
    ],
    ['a clock of SBR, signalled', 'config=131056e598', 48_000, '0020 0008 0008 01 02', ['500 01', '2548 02']],
    ['a clock of SBR, not signalled', 'config=1310', 48_000, '0020 0008 0008 01 02', ['500 01', '2548 02']],
    ['a clock of the core', 'config=131056e598', 24_000, '0020 0008 0008 01 02', ['500 01', '1524 02']],
    ['a clock of 90 kHz', 'config=1210', 90_000, '0030 0008 0008 0008 01 02 03', ['500 01', '2590 02', '4680 03']],
    ['a constant duration', 'config=1210;constantduration=960', 44_100, '0020 0008 0008 01 02', ['500 01', '1460 02']],
    ['frames of 960', 'config=1214', 44_100, '0020 0008 0008 01 02', ['500 01', '1460 02']],
    [
      'all further fields',
      'config=1210;ctsdeltalength=4;dtsdeltalength=4;randomaccessindication=1;streamstateindication=2;auxiliarydatasizelength=8',
      44_100,
      // Size 1, index, CTS and 15, no DTS, random access, state 2; size 2, no CTS, DTS and 1; 3 bits of auxiliary data.
      '0032 0008fb00082200 03e0 01 0203',
      ['500 01', '1524 0203'],
    ],
  ]
  for (const [name, fmtp, clockRate, hex, frames] of CASES) {
    it(`reads ${name}`, () => expect(push(create(fmtp, clockRate), [[hex, 500, true]])).to.eql(frames))
  }

  it('lets times wrap within a packet', () => {
    const frames = push(create(), [['0020 0008 0008 01 02', 2 ** 32 - 24, true]])
    expect(frames).to.eql(['4294967272 01', '1000 02'])
  })

  const FRAGMENTED: readonly (readonly [name: string, pieces: Piece[], frames: string[]])[] = [
    [
      'pieces that say the size of the whole',
      [
        ['0010 0028 0102', 7, false],
        ['0010 0028 0304', 7, false],
        ['0010 0028 05', 7, true],
        ['0010 0008 aa', 1031, true],
      ],
      ['7 0102030405', '1031 aa'],
    ],
    [
      'pieces without marker',
      [
        ['0010 0018 0102', 7, false],
        ['0010 0018 03', 7, false],
      ],
      ['7 010203'],
    ],
    [
      'pieces that say their own size',
      [
        ['0010 0010 0102', 7, false],
        ['0010 0010 0304', 7, false],
        ['0010 0008 05', 7, true],
      ],
      ['7 0102030405'],
    ],
    [
      'whole access units without marker, each when the next comes',
      [
        ['0010 0010 0102', 7, false],
        ['0010 0010 0304', 1031, false],
        ['0020 0008 0008 05 06', 2055, false],
      ],
      ['7 0102', '1031 0304', '2055 05', '3079 06'],
    ],
    [
      'the one after another that lacks its end',
      [
        ['0010 0028 0102', 7, false],
        ['0010 0010 0304', 1031, true],
      ],
      ['1031 0304'],
    ],
    [
      'the one after another that lacks its start',
      [
        ['0010 0028 05', 7, true],
        ['0010 0010 0304', 1031, true],
      ],
      ['1031 0304'],
    ],
  ]
  for (const [name, pieces, frames] of FRAGMENTED) {
    it(`puts together ${name}`, () => expect(push(create(), pieces)).to.eql(frames))
  }

  it('gives up what was begun where packets are missing or broken', () => {
    const depacketizer = create()
    const start = packetOf(fromHex('0010 0018 0102'), 7, false)
    const end = packetOf(fromHex('0010 0018 03'), 7, true)
    depacketizer.push(start, true)
    expect(depacketizer.push(end, false)).to.eql([])
    depacketizer.push(start, true)
    expect(() => depacketizer.push(packetOf(fromHex('00'), 7, false), true)).to.throw(MalformedError)
    expect(depacketizer.push(end, true)).to.eql([])
    expect(textOf(depacketizer.push(packetOf(fromHex('0010 0008 aa'), 9, true), true))).to.eql(['9 aa'])
  })

  it('bounds what it puts together', () => {
    const depacketizer = create('sizelength=32;indexlength=0')
    const piece = packetOf(Buffer.concat([fromHex('0020 ffffffff'), Buffer.alloc(30_000)]), 7, false)
    depacketizer.push(piece, true)
    depacketizer.push(piece, true)
    expect(() => depacketizer.push(piece, true)).to.throw(MalformedError, '90000 bytes are more than 65536')
  })

  const BROKEN: readonly (readonly [hex: string, message: string])[] = [
    ['', 'payload of 0 bytes'],
    ['00', 'payload of 1 bytes'],
    ['0000 aabb', 'AU headers of 0 bits'],
    ['0020 0010', 'AU headers of 32 bits in a payload of 4 bytes'],
    ['0020 0010 0010 aabb cc', 'access unit of 2 bytes ends at 10 of 9'],
    ['0020 0008 000a 01 02', 'interleaved AAC is not supported: AU-Index-delta 2'],
  ]
  for (const [hex, message] of BROKEN) {
    it(`refuses ${hex || 'nothing'}`, () => {
      expect(() => push(create(), [[hex, 0, true]])).to.throw(MalformedError, message)
    })
  }

  const CONFIGS: readonly (readonly [
    name: string,
    format: RtpFormat,
    record: string,
    rate: number,
    channels: number,
  ])[] = [
    ['config', formatOf('config=1408', 16_000, 1), '1408', 16_000, 1],
    ['config rather than rtpmap', formatOf('config=1408', 8000, 2), '1408', 16_000, 1],
    ['rtpmap without config', formatOf('', 8000, 1), '1588', 8000, 1],
    ['rtpmap for an empty config', formatOf('config=', 48_000, 6), '11b0', 48_000, 6],
    ['rtpmap for what is no hexadecimal', formatOf('config=14zz', 32_000, 8), '12b8', 32_000, 8],
    ['rtpmap for half a byte', formatOf('config=140', 32_000, 2), '1290', 32_000, 2],
    ['rtpmap for a broken config', formatOf('config=17', 44_100, 2), '1210', 44_100, 2],
    ['stereo for channels that have no layout', formatOf('', 44_100, 200), '1210', 44_100, 2],
  ]
  for (const [name, format, record, sampleRate, channels] of CONFIGS) {
    it(`takes ${name}`, () => {
      const { config } = new AacDepacketizer(format)
      expect(config).to.deep.include({ record: fromHex(record), sampleRate, channels })
    })
  }

  it('takes ADTS headers off, and learns from the first where fmtp says nothing', () => {
    // AAC-LC of 16 kHz, mono, frames of 9 and 8 bytes.
    const adts = fromHex('0020 0048 0040 fff16040013ffc 0102 fff16040011ffc 03')
    const depacketizer = new AacDepacketizer(formatOf('', 8000, 1))
    const frames = pushAll(depacketizer, [packetOf(adts, 0, true), packetOf(adts, 1024, true)])
    expect(textOf(frames)).to.eql(['0 0102', '512 03', '1024 0102', '1536 03'])
    expect(frames[0]!.config).to.deep.equal({
      record: fromHex('1408'),
      sampleRate: 16_000,
      channels: 1,
      codecString: 'mp4a.40.2',
    })
    expect(frames.slice(1).some(({ config }) => config !== undefined)).to.equal(false)
    expect(depacketizer.config).to.equal(frames[0]!.config)
    expect(pushAll(create(), [packetOf(adts, 0, true)])[0]!.config).to.equal(undefined)
  })

  it('leaves what only begins like ADTS as it is', () => {
    const depacketizer = new AacDepacketizer(formatOf('', 8000, 1))
    const frames = pushAll(depacketizer, [packetOf(fromHex('0010 0048 fff16040015ffc 0102'), 0, true)])
    expect(textOf(frames)).to.eql(['0 fff16040015ffc0102'])
    expect(frames[0]!.config).to.equal(undefined)
  })

  it('takes any bytes', () => {
    fuzzDepacketizer([...CASES.map(([, , , hex]) => fromHex(hex)), fromHex('0010 0028 0102')], create)
  })
})
