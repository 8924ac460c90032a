import { expect } from 'chai'
import { fuzz } from '../../../codec/test/fuzz.ts'
import { MalformedError } from '../../../errors.ts'
import { fromHex } from '../../flv/fixtures/bytes.ts'
import { serializeBoxes, type Box } from '../box.ts'
import { serializeAc3Specific, serializeEac3Specific } from './ac3-specific.ts'
import { parseEditList, serializeEditList } from './edit-list.ts'
import { parseElementaryStream, serializeElementaryStream } from './elementary-stream.ts'
import { parseFlacSpecific, serializeFlacSpecific } from './flac-specific.ts'
import { parseHandler, serializeHandler } from './handler.ts'
import { parseMediaHeader, serializeMediaHeader } from './media-header.ts'
import { serializeMovieFragmentHeader } from './movie-fragment-header.ts'
import { parseMovieHeader, serializeMovieHeader } from './movie-header.ts'
import { parseOpusSpecific, serializeOpusSpecific } from './opus-specific.ts'
import { parseTrackExtends, serializeTrackExtends } from './track-extends.ts'
import { parseTrackFragmentDecodeTime, serializeTrackFragmentDecodeTime } from './track-fragment-decode-time.ts'
import { parseTrackFragmentHeader, serializeTrackFragmentHeader } from './track-fragment-header.ts'
import { parseTrackHeader, serializeTrackHeader } from './track-header.ts'
import { parseTrackRun, RUN_FIELD, serializeTrackRun, trackRunSizeBytes, type TrackRun } from './track-run.ts'

/** A kind of box: its bodies and what they say, `both` ways or one way only. */
type Kind = {
  readonly type: string
  readonly parse?: (body: Buffer) => unknown
  readonly serialize?: (value: never) => Box
  readonly cases: readonly Case[]
}
type Case = { readonly name: string; readonly body: string; readonly value: unknown; readonly parseOnly?: true }

const kind = <Value>(
  type: string,
  parse: ((body: Buffer) => Value) | undefined,
  serialize: ((value: Value) => Box) | undefined,
  cases: readonly (Case & { readonly value: Value })[],
): Kind => ({ type, cases, ...(parse && { parse }), ...(serialize && { serialize }) })

const MATRIX = '00010000 00000000 00000000 00000000 00010000 00000000 00000000 00000000 40000000'
const ALL_FIELDS = RUN_FIELD.duration | RUN_FIELD.size | RUN_FIELD.flags | RUN_FIELD.cts
const DEFAULTS = { durationTicks: 40, sizeBytes: 7, flags: 0x0101_0000 }
const OPUS_STEREO = fromHex('4f70757348656164 01 02 3801 80bb0000 0000 00')
const OPUS_SURROUND = fromHex('4f70757348656164 01 06 3801 80bb0000 00ff 01 04 02 000401020305')
const STREAM_INFO = fromHex('12001200000072 0004ed0bb800f0000012c0 558de7c222aacdb7b295f858f33ba4c6')
const NO_HEADER_FIELDS = {
  baseDataOffset: undefined,
  descriptionIndex: undefined,
  durationTicks: undefined,
  sizeBytes: undefined,
  sampleFlags: undefined,
}
const RUN: TrackRun = {
  dataOffset: 120,
  samples: [
    { durationTicks: 40, sizeBytes: 1000, flags: 0x0200_0000, cts: 80 },
    { durationTicks: 33, sizeBytes: 7, flags: 0x0101_0000, cts: -10 },
  ],
}

const KINDS: readonly Kind[] = [
  kind('mvhd', parseMovieHeader, serializeMovieHeader, [
    {
      name: 'a movie',
      body: `00000000 00000000 00000000 000003e8 00000000 00010000 0100 00000000000000000000 ${MATRIX}
        000000000000000000000000000000000000000000000000 00000003`,
      value: { timescale: 1000, nextTrackId: 3 },
    },
    {
      name: 'version 1',
      body: `01000000 0000000000000001 0000000000000002 00015f90 0000000000000003 00010000 0100 00000000000000000000
        ${MATRIX} 000000000000000000000000000000000000000000000000 00000002`,
      value: { timescale: 90_000, nextTrackId: 2 },
      parseOnly: true,
    },
  ]),
  kind('tkhd', parseTrackHeader, serializeTrackHeader, [
    {
      name: 'a track of pictures',
      body: `00000007 00000000 00000000 00000001 00000000 00000000 0000000000000000 00000000 0000 0000 ${MATRIX}
        07800000 ffff0000`,
      value: { trackId: 1, kind: 'video', width: 1920, height: 65_535 },
    },
    {
      name: 'a track of sound',
      body: `00000007 00000000 00000000 00000002 00000000 00000000 0000000000000000 00000000 0100 0000 ${MATRIX}
        00000000 00000000`,
      value: { trackId: 2, kind: 'audio', width: 0, height: 0 },
    },
    {
      name: 'version 1',
      body: `01000001 0000000000000001 0000000000000002 00000009 00000000 0000000000000003 0000000000000000 00000000
        0000 0000 ${MATRIX} 00408000 00300000`,
      value: { trackId: 9, kind: 'video', width: 64.5, height: 48 },
      parseOnly: true,
    },
  ]),
  kind('mdhd', parseMediaHeader, serializeMediaHeader, [
    {
      name: 'no language',
      body: '00000000 00000000 00000000 0000ac44 00000000 55c4 0000',
      value: { timescale: 44_100, language: 'und' },
    },
    {
      name: 'German',
      body: '00000000 00000000 00000000 ffffffff 00000000 10b5 0000',
      value: { timescale: 0xffff_ffff, language: 'deu' },
    },
    {
      name: 'version 1',
      body: '01000000 0000000000000001 0000000000000002 00015f90 0000000000000003 15c7 0000',
      value: { timescale: 90_000, language: 'eng' },
      parseOnly: true,
    },
  ]),
  kind<'video' | 'audio' | undefined>('hdlr', parseHandler, (handler) => serializeHandler(handler ?? 'video'), [
    {
      name: 'pictures',
      body: '00000000 00000000 76696465 000000000000000000000000 766964656f00',
      value: 'video',
    },
    { name: 'sound', body: '00000000 00000000 736f756e 000000000000000000000000 617564696f00', value: 'audio' },
    {
      name: 'text',
      body: '00000000 00000000 74657874 000000000000000000000000 00',
      value: undefined,
      parseOnly: true,
    },
  ]),
  kind('elst', parseEditList, serializeEditList, [
    {
      name: 'an empty edit and one that begins later',
      body: '00000000 00000002 000001f4 ffffffff 00010000 00000000 00000800 00010000',
      value: [
        { duration: 500, mediaTime: -1 },
        { duration: 0, mediaTime: 2048 },
      ],
    },
    {
      name: 'version 1',
      body: '01000000 00000001 0000000100000000 ffffffffffffffff 00010000',
      value: [{ duration: 2 ** 32, mediaTime: -1 }],
    },
    {
      name: 'a start that only version 1 has room for',
      body: '01000000 00000001 0000000000000001 0000000080000000 00010000',
      value: [{ duration: 1, mediaTime: 2 ** 31 }],
    },
  ]),
  kind('trex', parseTrackExtends, serializeTrackExtends, [
    {
      name: 'defaults',
      body: '00000000 00000002 00000001 00000028 00000007 01010000',
      value: { trackId: 2, defaults: DEFAULTS },
    },
  ]),
  kind('esds', parseElementaryStream, serializeElementaryStream, [
    {
      name: 'AAC',
      body: '00000000 03808080 22 000000 04808080 14 40 15 000000 00000000 00000000 05808080 02 1210 06808080 01 02',
      value: { objectType: 0x40, specificInfo: fromHex('1210') },
    },
    {
      name: 'MP3, which needs no specific info',
      body: '00000000 03808080 1b 000000 04808080 0d 69 15 000000 00000000 00000000 06808080 01 02',
      value: { objectType: 0x69, specificInfo: Buffer.alloc(0) },
    },
    {
      name: 'short sizes and all optional fields',
      body: '00000000 03 20 0000 e0 0001 02 6162 0002 04 11 40 15 000000 00000000 00000000 05 02 1210 06 01 02',
      value: { objectType: 0x40, specificInfo: fromHex('1210') },
      parseOnly: true,
    },
  ]),
  kind('dOps', parseOpusSpecific, serializeOpusSpecific, [
    { name: 'stereo', body: '00 02 0138 0000bb80 0000 00', value: OPUS_STEREO },
    { name: 'several channels', body: '00 06 0138 0000bb80 ff00 01 04 02 000401020305', value: OPUS_SURROUND },
  ]),
  kind('dfLa', parseFlacSpecific, serializeFlacSpecific, [
    { name: 'a STREAMINFO', body: `00000000 80000022 ${STREAM_INFO.toString('hex')}`, value: STREAM_INFO },
  ]),
  // As ffmpeg writes them, for 192 and 384 kbit/s.
  kind('dac3', undefined, serializeAc3Specific, [
    { name: 'stereo', body: '101140', value: { channels: 2, sampleRate: 48_000 } },
    { name: 'six channels', body: '103dc0', value: { channels: 6, sampleRate: 48_000 } },
  ]),
  kind('dec3', undefined, serializeEac3Specific, [
    { name: 'stereo', body: '0600 200400', value: { channels: 2, sampleRate: 48_000 } },
    { name: 'six channels', body: '0c00 200f00', value: { channels: 6, sampleRate: 48_000 } },
  ]),
  kind('mfhd', undefined, serializeMovieFragmentHeader, [
    { name: 'a number', body: '00000000 ffffffff', value: 0xffff_ffff },
    { name: 'a number of more than 32 bits', body: '00000000 00000001', value: 2 ** 32 + 1 },
  ]),
  kind('tfhd', parseTrackFragmentHeader, serializeTrackFragmentHeader, [
    {
      name: 'the fragment as its base',
      body: '00020000 00000001',
      value: { trackId: 1, ...NO_HEADER_FIELDS, baseIsMoof: true },
    },
    {
      name: 'everything',
      body: '0000003b 00000002 0000000200000001 00000001 00000028 00000007 01010000',
      value: {
        trackId: 2,
        baseDataOffset: 2 ** 33 + 1,
        descriptionIndex: 1,
        durationTicks: 40,
        sizeBytes: 7,
        sampleFlags: 0x0101_0000,
        baseIsMoof: false,
      },
    },
  ]),
  kind('tfdt', parseTrackFragmentDecodeTime, serializeTrackFragmentDecodeTime, [
    { name: 'a time of more than 32 bits', body: '01000000 0000010000000007', value: 2 ** 40 + 7 },
    { name: 'version 0', body: '00000000 ffffffff', value: 0xffff_ffff, parseOnly: true },
  ]),
  kind(
    'trun',
    (body) => parseTrackRun(body, DEFAULTS),
    (run) => serializeTrackRun(run, ALL_FIELDS),
    [
      {
        name: 'two samples',
        body: `01000f01 00000002 00000078 00000028 000003e8 02000000 00000050 00000021 00000007 01010000 fffffff6`,
        value: RUN,
      },
      { name: 'no sample', body: '01000f01 00000000 00000078', value: { dataOffset: 120, samples: [] } },
      {
        name: 'no data offset',
        body: '01000f00 00000001 00000001 00000002 00000003 00000004',
        value: { dataOffset: undefined, samples: [{ durationTicks: 1, sizeBytes: 2, flags: 3, cts: 4 }] },
      },
      {
        name: 'defaults, and flags of the first sample',
        body: '00000004 00000002 02000000',
        value: {
          dataOffset: undefined,
          samples: [
            { ...DEFAULTS, flags: 0x0200_0000, cts: 0 },
            { ...DEFAULTS, cts: 0 },
          ],
        },
        parseOnly: true,
      },
      {
        name: 'a composition offset below 0 in version 0',
        body: '00000800 00000001 ffffffff',
        value: { dataOffset: undefined, samples: [{ ...DEFAULTS, cts: -1 }] },
        parseOnly: true,
      },
    ],
  ),
]

function bodyBytes(body: string): Buffer {
  return fromHex(body.replaceAll(/\s/gu, ''))
}

for (const { type, parse, serialize, cases } of KINDS) {
  describe(`${type} of fMP4`, () => {
    for (const { name, body, value, parseOnly } of cases) {
      const bytes = bodyBytes(body)
      if (parse) it(`is parsed with ${name}`, () => expect(parse(bytes)).to.deep.equal(value))
      if (!serialize || parseOnly) continue
      it(`is serialized with ${name}`, () => {
        const head = Buffer.alloc(8)
        head.writeUInt32BE(8 + bytes.length)
        head.write(type, 4, 'latin1')
        expect(serializeBoxes([serialize(value as never)])).to.deep.equal(Buffer.concat([head, bytes]))
      })
    }

    if (!parse) return
    it('takes any bytes, or says that they are malformed', () => {
      fuzz(
        cases.map(({ body }) => bodyBytes(body)),
        (bytes) => void parse(bytes),
      )
    })

    it('refuses what is cut off', () => {
      for (const { name, body } of cases) {
        expect(() => parse(bodyBytes(body).subarray(0, 5)), name).to.throw(MalformedError)
      }
    })
  })
}

describe('trun of fMP4', () => {
  it('says how large it is going to be', () => {
    for (const fields of [ALL_FIELDS, RUN_FIELD.duration | RUN_FIELD.size]) {
      const bytes = serializeBoxes([serializeTrackRun(RUN, fields)])
      expect(trackRunSizeBytes(RUN.samples.length, fields)).to.equal(bytes.length)
    }
  })

  it('refuses more samples than a fragment can have', () => {
    expect(() => parseTrackRun(fromHex('00000000 ffffffff'), DEFAULTS)).to.throw(MalformedError, '4294967295 samples')
  })
})
