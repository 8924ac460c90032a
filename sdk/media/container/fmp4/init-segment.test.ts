import { expect } from 'chai'
import { ac3Config } from '../../codec/ac3/config.ts'
import { opusConfig } from '../../codec/opus/config.ts'
import type { Track, TrackInit } from '../../track.ts'
import { fromHex } from '../flv/fixtures/bytes.ts'
import { RECORD, SAMPLE_TRACKS, sampleTrack } from '../flv/fixtures/tracks.ts'
import { serializeBoxes } from './box.ts'
import { audioConfigBox } from './codec-boxes.ts'
import { findBoxes, readBoxes } from './fixtures/boxes.ts'
import { FragmentWriter } from './fragment-writer.ts'
import { canCarryInFmp4, createInitSegment } from './init-segment.ts'

function trackOf(codec: Track['codec'], id = 0, extra: { name?: string } = {}): Track {
  return { ...sampleTrack(codec).init, id, ...extra }
}

function audioOf(codec: 'ac3' | 'eac3' | 'opus', config: TrackInit['config']): Parameters<typeof audioConfigBox>[0] {
  return { kind: 'audio', codec, timescale: 1000, id: 0, config } as Parameters<typeof audioConfigBox>[0]
}

const ENTRIES: readonly [codec: Track['codec'], entry: string, config: string | undefined][] = [
  ['h264', 'avc1', `avcC ${RECORD.h264.toString('hex')}`],
  ['h265', 'hvc1', `hvcC ${RECORD.h265.toString('hex')}`],
  ['av1', 'av01', `av1C ${RECORD.av1.toString('hex')}`],
  ['vp9', 'vp09', `vpcC 01000000${RECORD.vp9.toString('hex')}`],
  [
    'aac',
    'mp4a',
    'esds 00000000 03808080 25 000000 04808080 17 40 15 000000 00000000 00000000 05808080 05 120856e500 06808080 01 02',
  ],
  ['mp3', 'mp4a', 'esds 00000000 03808080 1b 000000 04808080 0d 69 15 000000 00000000 00000000 06808080 01 02'],
  ['opus', 'Opus', 'dOps 00 01 0138 0000bb80 0000 00'],
  ['flac', 'fLaC', `dfLa 00000000 80000022 ${RECORD.flac.toString('hex')}`],
  ['pcma', 'alaw', undefined],
  ['pcmu', 'ulaw', undefined],
]

/** As ffmpeg writes them, for 192 and 384 kbit/s. */
const AC3_BOXES: readonly [codec: 'ac3' | 'eac3', channels: number, sampleRate: number, bytes: string][] = [
  ['ac3', 2, 48_000, '0000000b 64616333 101140'],
  ['ac3', 6, 48_000, '0000000b 64616333 103dc0'],
  ['eac3', 2, 48_000, '0000000d 64656333 0600 200400'],
  ['eac3', 6, 48_000, '0000000d 64656333 0c00 200f00'],
]

describe('createInitSegment', () => {
  for (const [codec, entry, config] of ENTRIES) {
    it(`describes ${codec}`, () => {
      const [description] = findBoxes(readBoxes(createInitSegment([trackOf(codec)])), 'stsd')
      const found = readBoxes(description!.body.subarray(8))
      expect(found.map(({ type }) => type)).to.deep.equal([entry])
      const [box] = found[0]!.children
      expect(box && `${box.type} ${box.body.toString('hex')}`.replaceAll(' ', '')).to.equal(config?.replaceAll(' ', ''))
    })
  }

  for (const [codec, channels, sampleRate, bytes] of AC3_BOXES) {
    it(`describes ${codec} of ${channels} channels`, () => {
      const config = { ...ac3Config(codec, sampleTrack(codec).keyframe), channels, sampleRate }
      expect(serializeBoxes([audioConfigBox(audioOf(codec, config))!])).to.deep.equal(fromHex(bytes))
    })
  }

  it('describes Opus of several channels', () => {
    const head = fromHex('4f70757348656164 01 06 3801 80bb0000 0100 01 04 02 000401020305')
    const bytes = fromHex('0000001b 644f7073 00 06 0138 0000bb80 0001 01 04 02 000401020305')
    expect(serializeBoxes([audioConfigBox(audioOf('opus', opusConfig(head)))!])).to.deep.equal(bytes)
  })

  it('gives each track its number, size, timescale and language', () => {
    const tracks = [trackOf('h264', 0), trackOf('aac', 3, { name: 'deu' })]
    const boxes = readBoxes(createInitSegment(tracks))
    expect(boxes.map(({ type }) => type)).to.deep.equal(['ftyp', 'moov'])
    const fieldsOf = (type: string, offset: number) =>
      findBoxes(boxes, type).map(({ body }) => body.readUInt32BE(offset))
    expect(fieldsOf('tkhd', 12)).to.deep.equal([1, 4])
    expect(fieldsOf('trex', 4)).to.deep.equal([1, 4])
    expect(fieldsOf('trex', 20)).to.deep.equal([0x0101_0000, 0x0200_0000])
    expect(fieldsOf('tkhd', 76)).to.deep.equal([64 * 65_536, 0])
    expect(fieldsOf('mdhd', 12)).to.deep.equal([1000, 44_100])
    expect(fieldsOf('mdhd', 20).map((field) => field >>> 16)).to.deep.equal([0x55c4, 0x10b5])
    expect(fieldsOf('mvhd', 96)).to.deep.equal([5])
  })

  it('names the brands that readers must know', () => {
    const brandsOf = (codec: Track['codec']) =>
      readBoxes(createInitSegment([trackOf(codec)]))[0]!.body.toString('latin1', 8)
    expect(brandsOf('h264')).to.equal('iso5iso6mp41')
    expect(brandsOf('av1')).to.include('av01')
    expect(brandsOf('pcma')).to.include('qt  ')
  })

  it('refuses VP8', () => {
    const refused = SAMPLE_TRACKS.map(({ init }) => ({ ...init, id: 0 })).filter((track) => !canCarryInFmp4(track))
    expect(refused.map(({ codec }) => codec)).to.deep.equal(['vp8'])
    expect(() => createInitSegment(refused)).to.throw(RangeError)
    expect(() => new FragmentWriter(refused)).to.throw(RangeError)
  })
})
