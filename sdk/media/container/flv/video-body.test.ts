import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { MalformedError } from '../../errors.ts'
import { FLV_MAX_TRACKS_PER_TAG } from './enhanced-body.ts'
import { fromHex, mutations, parsesOrRefuses } from './fixtures/bytes.ts'
import { parseVideoBody, serializeVideoHeader } from './video-body.ts'
import type { FlvVideoPacket } from './video-body.ts'

function packet(fields: Partial<FlvVideoPacket> & Pick<FlvVideoPacket, 'codec'>): FlvVideoPacket {
  return {
    type: 'codedFrames',
    trackId: 0,
    keyframe: false,
    ctsMs: 0,
    timestampOffsetNs: 0,
    data: fromHex('aabb'),
    ...fields,
  }
}

/** Both ways. */
const CASES: readonly { name: string; hex: string; packet: FlvVideoPacket; multitrackId?: number }[] = [
  {
    name: 'a legacy AVC sequence header',
    hex: '17 00 000000 aabb',
    packet: packet({ codec: 'h264', type: 'sequenceStart', keyframe: true }),
  },
  {
    name: 'a legacy AVC keyframe',
    hex: '17 01 000050 aabb',
    packet: packet({ codec: 'h264', keyframe: true, ctsMs: 80 }),
  },
  { name: 'a legacy AVC frame', hex: '27 01 000000 aabb', packet: packet({ codec: 'h264' }) },
  { name: 'a negative cts', hex: '27 01 ffffd8 aabb', packet: packet({ codec: 'h264', ctsMs: -40 }) },
  { name: 'the largest cts', hex: '27 01 7fffff aabb', packet: packet({ codec: 'h264', ctsMs: 8_388_607 }) },
  { name: 'the smallest cts', hex: '27 01 800000 aabb', packet: packet({ codec: 'h264', ctsMs: -8_388_608 }) },
  {
    name: 'the end of an AVC sequence',
    hex: '17 02 000000',
    packet: packet({ codec: 'h264', type: 'sequenceEnd', keyframe: true, data: Buffer.alloc(0) }),
  },
  {
    name: 'an HEVC sequence start',
    hex: '90 68766331 aabb',
    packet: packet({ codec: 'h265', type: 'sequenceStart', keyframe: true }),
  },
  { name: 'an HEVC frame with cts', hex: 'a1 68766331 ffffff aabb', packet: packet({ codec: 'h265', ctsMs: -1 }) },
  { name: 'an HEVC keyframe without cts', hex: '93 68766331 aabb', packet: packet({ codec: 'h265', keyframe: true }) },
  {
    name: 'an HEVC sequence end',
    hex: '92 68766331',
    packet: packet({ codec: 'h265', type: 'sequenceEnd', keyframe: true, data: Buffer.alloc(0) }),
  },
  { name: 'an AV1 keyframe', hex: '91 61763031 aabb', packet: packet({ codec: 'av1', keyframe: true }) },
  { name: 'a VP9 frame', hex: 'a1 76703039 aabb', packet: packet({ codec: 'vp9' }) },
  {
    name: 'a VP8 sequence start',
    hex: '90 76703038 aabb',
    packet: packet({ codec: 'vp8', type: 'sequenceStart', keyframe: true }),
  },
  {
    name: 'one AVC track of several, with cts',
    hex: '96 01 61766331 02 000028 aabb',
    packet: packet({ codec: 'h264', trackId: 2, keyframe: true, ctsMs: 40 }),
    multitrackId: 2,
  },
  {
    name: 'one AVC track of several, without cts',
    hex: 'a6 03 61766331 00 aabb',
    packet: packet({ codec: 'h264' }),
    multitrackId: 0,
  },
  {
    name: 'the sequence start of one AV1 track of several',
    hex: '96 00 61763031 ff aabb',
    packet: packet({ codec: 'av1', type: 'sequenceStart', trackId: 255, keyframe: true }),
    multitrackId: 255,
  },
]

const READ_ONLY_CASES: readonly { name: string; hex: string; packets: ReturnType<typeof parseVideoBody> }[] = [
  { name: 'an empty body', hex: '', packets: [] },
  { name: 'a legacy seek command', hex: '57 00', packets: [] },
  { name: 'an enhanced seek command', hex: 'd1 01', packets: [] },
  {
    name: 'a generated keyframe',
    hex: '47 01 000000 aabb',
    packets: [packet({ codec: 'h264', keyframe: true })],
  },
  {
    name: 'HEVC under codec id 12',
    hex: '1c 01 000028 aabb',
    packets: [packet({ codec: 'h265', keyframe: true, ctsMs: 40 })],
  },
  {
    name: 'an HEVC sequence header under codec id 12',
    hex: '1c 00 000000 aabb',
    packets: [packet({ codec: 'h265', type: 'sequenceStart', keyframe: true })],
  },
  {
    name: 'enhanced AVC',
    hex: '91 61766331 000001 aabb',
    packets: [packet({ codec: 'h264', keyframe: true, ctsMs: 1 })],
  },
  {
    name: 'a frame whose type is not told',
    hex: '83 68766331 aabb',
    packets: [packet({ codec: 'h265', keyframe: null })],
  },
  {
    name: 'metadata, whatever its frame type says',
    hex: 'd4 68766331 aabb',
    packets: [packet({ codec: 'h265', type: 'metadata', keyframe: null })],
  },
  {
    name: 'the start of AV1 from MPEG-TS',
    hex: '95 61763031 80048100 0c00',
    packets: [packet({ codec: 'av1', type: 'mpeg2TsSequenceStart', keyframe: true, data: fromHex('800481000c00') })],
  },
  {
    name: 'many tracks of one codec',
    hex: '96 11 68766331 00 000005 000001 aabb 01 000003 000002',
    packets: [
      packet({ codec: 'h265', keyframe: true, ctsMs: 1 }),
      packet({ codec: 'h265', keyframe: true, ctsMs: 2, trackId: 1, data: Buffer.alloc(0) }),
    ],
  },
  {
    name: 'many tracks of many codecs',
    hex: '96 20 61763031 00 000002 aabb 58585858 07 000001 cc 76703039 01 000000',
    packets: [
      packet({ codec: 'av1', type: 'sequenceStart', keyframe: true }),
      { type: 'unsupported', codecName: 'XXXX', trackId: 7 },
      packet({ codec: 'vp9', type: 'sequenceStart', keyframe: true, trackId: 1, data: Buffer.alloc(0) }),
    ],
  },
  {
    name: 'a nanosecond offset',
    hex: '97 02 01e240 03 68766331 aabb',
    packets: [packet({ codec: 'h265', keyframe: true, timestampOffsetNs: 123_456 })],
  },
  {
    name: 'an unknown modifier before a nanosecond offset before tracks',
    hex: '97 00 ff 17 02 0f423f 06 01 61763031 01 aabb',
    packets: [packet({ codec: 'av1', keyframe: true, trackId: 1, timestampOffsetNs: 999_999 })],
  },
  {
    name: 'a modifier with a 16-bit size',
    hex: `97 ff 0100 ${'00'.repeat(257)} 13 68766331 aabb`,
    packets: [packet({ codec: 'h265', keyframe: true })],
  },
  { name: 'H.263', hex: '12 00', packets: [{ type: 'unsupported', codecName: 'Sorenson H.263', trackId: 0 }] },
  { name: 'a codec unheard of', hex: '91 00763031', packets: [{ type: 'unsupported', codecName: '.v01', trackId: 0 }] },
]

const MALFORMED_CASES: readonly (readonly [name: string, hex: string])[] = [
  ['a cut off legacy header', '17 01 0000'],
  ['a legacy packet type that is none', '17 03 000000'],
  ['a cut off FourCC', '91 687663'],
  ['a cut off cts', '91 68766331 0000'],
  ['a packet type that is none', '98 68766331'],
  ['a cut off modifier', '97 02 01e2'],
  ['a modifier without a next type', '97 02 01e240'],
  ['a cut off modifier size', '97 ff 01'],
  ['a nanosecond offset too short', '97 01 01e2 03 68766331'],
  ['multitrack in multitrack', '96 06 68766331 00'],
  ['a modifier in multitrack', '96 07 68766331 00'],
  ['a multitrack type that is none', '96 31 68766331 00'],
  ['multitrack without content', '96'],
  ['one track without an id', '96 01 68766331'],
  ['a track longer than the body', '96 10 68766331 00 000003 aabb'],
  ['a track without a size', '96 10 68766331 00 0000'],
  ['many codecs with a cut off FourCC', '96 20 687663'],
  ['more tracks than ids', `96 10 61763031 ${'00 000000'.repeat(FLV_MAX_TRACKS_PER_TAG + 1)}`],
]

describe('FLV video body', () => {
  for (const { name, hex, packet } of CASES) {
    it(`reads ${name}`, () => expect(parseVideoBody(fromHex(hex))).to.deep.equal([packet]))
  }

  for (const { name, hex, packets } of READ_ONLY_CASES) {
    it(`reads ${name}`, () => expect(parseVideoBody(fromHex(hex))).to.deep.equal(packets))
  }

  for (const { name, hex, packet, multitrackId } of CASES) {
    it(`writes ${name}`, () => {
      const { type } = packet
      if (type === 'metadata' || type === 'mpeg2TsSequenceStart') throw new Error('not written')
      const header = serializeVideoHeader({ ...packet, type, keyframe: packet.keyframe === true }, multitrackId)
      expect(Buffer.concat([header, packet.data]).toString('hex')).to.equal(fromHex(hex).toString('hex'))
    })
  }

  for (const [name, hex] of MALFORMED_CASES) {
    it(`refuses ${name}`, () => expect(() => parseVideoBody(fromHex(hex))).to.throw(MalformedError))
  }

  it('gives views into the body and leaves it as it is', () => {
    const body = fromHex('17 01 000050 aabb')
    const copy = Buffer.from(body)
    const [first] = parseVideoBody(body)
    expect(first?.type === 'codedFrames' && first.data.buffer === body.buffer).to.equal(true)
    expect(body).to.deep.equal(copy)
  })

  it('parses any bytes or refuses them', () => {
    const seeds = [...CASES, ...READ_ONLY_CASES].map(({ hex }) => fromHex(hex))
    fc.assert(
      fc.property(mutations(seeds), (body) => parsesOrRefuses(() => parseVideoBody(body))),
      { numRuns: rounds(2000) },
    )
  })
})
