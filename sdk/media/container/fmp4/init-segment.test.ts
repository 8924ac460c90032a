import { expect } from 'chai'
import * as fc from 'fast-check'
import { rounds } from '../../../../test/support/soak.ts'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { RECORD, SAMPLE_TRACKS, sampleTrack } from '../flv/fixtures/tracks.ts'
import { bodyOf, parseBoxes } from './box.ts'
import { canCarryInFmp4 } from './carriage.ts'
import { findBoxes, readBoxes } from './fixtures/boxes.ts'
import { FragmentWriter } from './fragment-writer.ts'
import { createInitSegment, parseMovie } from './init-segment.ts'

function trackOf(codec: Track['codec'], id = 0, extra: { language?: string } = {}): Track {
  return { ...sampleTrack(codec).init, id, ...extra }
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
  ['ac3', 'ac-3', 'dac3 100940'],
  ['eac3', 'ec-3', 'dec3 0600200200'],
  ['pcma', 'alaw', undefined],
  ['pcmu', 'ulaw', undefined],
]

/** What no field holds. */
const EXTREMES: readonly [codec: Track['codec'], change: Readonly<Record<string, number | Buffer>>][] = [
  ['vp9', { width: 65_536 }],
  ['av1', { height: 65_536 }],
  ['h264', { width: 1.5 }],
  ['h265', { timescale: 2 ** 32 }],
  ['h264', { timescale: 0 }],
  ['aac', { sampleRate: 0 }],
  ['flac', { sampleRate: 2 ** 32 }],
  ['aac', { channels: 65_536 }],
  ['opus', { record: Buffer.alloc(3) }],
]
/** Where fields of 16, 31, 32 and 53 bits end. */
const EDGES = [0, 1, -1, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1] as const

/** The track with another timescale, or with other fields of its configuration. */
function changed(track: Track, change: Readonly<Record<string, unknown>>): Track {
  const { timescale = track.timescale, ...config } = change
  const known = Object.entries(config).filter(([key]) => key in track.config)
  return { ...track, timescale, config: { ...track.config, ...Object.fromEntries(known) } } as Track
}

describe('createInitSegment', () => {
  for (const [codec, entry, config] of ENTRIES) {
    it(`describes ${codec}, and is read as it was written`, () => {
      const track = trackOf(codec)
      const bytes = createInitSegment([track])
      const [description] = findBoxes(readBoxes(bytes), 'stsd')
      const found = readBoxes(description!.body.subarray(8))
      expect(found.map(({ type }) => type)).to.deep.equal([entry])
      const [box] = found[0]!.children
      expect(box && `${box.type} ${box.body.toString('hex')}`.replaceAll(' ', '')).to.equal(config?.replaceAll(' ', ''))
      const [read, ...others] = parseMovie(bodyOf(parseBoxes(bytes), 'moov')!)
      expect(others).to.have.length(0)
      expect(read).to.deep.include({ trackId: 1, entryType: entry, shiftTicks: 0 })
      const { format } = read!
      expect(format?.codec).to.equal(codec)
      expect(format?.kind === 'audio' ? format.configure(sampleTrack(codec).frame) : format?.config).to.eql(
        track.config,
      )
    })
  }

  it('gives each track its number, size, timescale and language', () => {
    const tracks = [trackOf('h264', 0), trackOf('aac', 3, { language: 'de' })]
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
    expect(() => createInitSegment(refused)).to.throw(RangeError, 'fMP4 cannot carry this track of vp8')
    expect(() => new FragmentWriter(refused)).to.throw(RangeError, 'fMP4 cannot carry this track of vp8')
  })

  it('refuses what its fields have no room for, and what is broken', () => {
    for (const [codec, change] of EXTREMES) {
      const track = changed(trackOf(codec), change)
      expect(canCarryInFmp4(track), JSON.stringify(change)).to.equal(false)
      expect(() => createInitSegment([track])).to.throw(RangeError, `fMP4 cannot carry this track of ${codec}`)
    }
  })

  it('takes any track that it does not refuse, and its units at any time', () => {
    const number = fc.oneof(fc.constantFrom(...EDGES), fc.double({ noNaN: true }), fc.maxSafeInteger())
    const change = fc.record({ width: number, height: number, channels: number, sampleRate: number, timescale: number })
    const time = fc.oneof(fc.constantFrom(...EDGES), fc.maxSafeNat())
    const units = fc.array(fc.tuple(time, time, fc.boolean()), { minLength: 1, maxLength: 4 })
    const codecs = fc.constantFrom(...SAMPLE_TRACKS.map(({ init }) => init.codec))
    fc.assert(
      fc.property(codecs, change, fc.subarray(Object.keys(change) as never[]), units, (codec, values, keys, times) => {
        const track = changed(trackOf(codec), Object.fromEntries(keys.map((key) => [key, values[key]])))
        if (!canCarryInFmp4(track)) return
        expect(parseMovie(bodyOf(parseBoxes(createInitSegment([track])), 'moov')!)).to.have.length(1)
        const writer = new FragmentWriter([track])
        for (const [dts, pts, cut] of times) {
          writer.write(AccessUnit.fromData(track, Math.abs(dts), Math.abs(pts), true, sampleTrack(codec).frame))
          if (cut) writer.flush()
        }
        writer.flush()
      }),
      { numRuns: rounds(1000) },
    )
  })
})
