import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import { ffprobePackets } from '../../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { makeMediaFile } from '../../../../test/support/media-file.ts'
import { rounds } from '../../../../test/support/soak.ts'
import { MalformedError } from '../../errors.ts'
import { mainTracks, type Track } from '../../track.ts'
import { B_FRAMES, FMP4_SOURCES, inSharedFolder } from '../fixtures/sources.ts'
import type { Stream } from '../fixtures/stream.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { fullBox, serializeBoxes } from './box.ts'
import { uint32 } from './boxes/fields.ts'
import { MAX_BOX_SIZE_BYTES } from './box-stream.ts'
import { Fmp4Demuxer } from './demuxer.ts'
import { FragmentWriter } from './fragment-writer.ts'
import { fragmented } from './fixtures/fragmented.ts'
import { createInitSegment } from './init-segment.ts'

/** Ways in which ffmpeg lays out fragments: bases and offsets differ, and with `delay_moov` there are edit lists. */
const LAYOUTS = [
  ['empty_moov+frag_keyframe'],
  ['empty_moov+frag_keyframe+default_base_moof'],
  ['empty_moov+frag_keyframe+omit_tfhd_offset'],
  ['cmaf+frag_every_frame'],
  ['delay_moov+frag_keyframe'],
] as const

/** Where offsets are below 0, ffmpeg reads all pictures a frame late, so that its times of decoding stay as they are. */
const LATE_MS = 40

const inOneFragment = (stream: Stream) => fragmented(stream, Infinity)

/** Reads bytes in pieces of a size, which must make no difference. */
function demux(bytes: Buffer, pieceSizeBytes = bytes.length): RecordingSink {
  const sink = new RecordingSink()
  const demuxer = new Fmp4Demuxer(sink)
  for (let offset = 0; offset < bytes.length; offset += pieceSizeBytes) {
    demuxer.push(bytes.subarray(offset, offset + pieceSizeBytes))
  }
  expect(demuxer.dropped).to.equal(0)
  return sink
}

const ms = (ticks: number, { timescale }: Track) => (ticks * 1000) / timescale
const md5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

function expectSame(found: Stream, wanted: Stream): void {
  for (const kind of ['video', 'audio'] as const) {
    const [track, source] = [found, wanted].map(({ tracks }) => tracks.find((track) => track.kind === kind))
    expect(track?.codec).to.equal(source?.codec)
    expect(track?.config.codecString).to.equal(source?.config.codecString)
    expect(track?.config.record.toString('hex')).to.equal(source?.config.record.toString('hex'))
    const units = found.units.filter((unit) => unit.track === track)
    const sent = wanted.units.filter((unit) => unit.track === source)
    expect(units.map((unit) => md5(unit.data))).to.eql(sent.map((unit) => md5(unit.data)))
    expect(units.map(({ keyframe }) => keyframe)).to.eql(sent.map(({ keyframe }) => keyframe))
    for (const [index, unit] of units.entries()) {
      expect(ms(unit.dts, unit.track)).to.be.closeTo(ms(sent[index]!.dts, source!), 2)
      expect(ms(unit.pts, unit.track)).to.be.closeTo(ms(sent[index]!.pts, source!), 2)
    }
  }
}

describe('Fmp4Demuxer', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const source of FMP4_SOURCES) {
    it(`gives back what was written: ${source.name}`, async () => {
      const stream = await source.read()
      expect(stream.units.length).to.be.greaterThan(15)
      expectSame(demux(inOneFragment(stream)), stream)
      expectSame(demux(inOneFragment(stream), 1000), stream)
    })
  }

  for (const [layout] of LAYOUTS) {
    it(`reads what ffmpeg writes with ${layout}`, async () => {
      const file = inSharedFolder('layout.mp4')
      const inputs = ['-f', 'lavfi', '-i', 'testsrc2=rate=25:size=320x240', '-f', 'lavfi', '-i', 'sine']
      const codecs = ['-c:v', 'libx264', '-preset', 'veryfast', '-bf', '2', '-g', '25', '-c:a', 'aac']
      await makeMediaFile(file, [...inputs, '-t', '2', ...codecs, '-movflags', layout])
      const { units } = demux(await readFile(file), 777)
      const packets = await ffprobePackets(file)
      for (const kind of ['video', 'audio'] as const) {
        const found = units.filter(({ track }) => track.kind === kind)
        const wanted = packets.filter((packet) => packet.kind === kind)
        const lateMs = layout.startsWith('cmaf') && kind === 'video' ? LATE_MS : 0
        expect(wanted.length).to.be.greaterThan(40)
        expect(found.map(({ data }) => md5(data))).to.eql(wanted.map(({ md5 }) => md5))
        expect(found.map(({ keyframe }) => keyframe)).to.eql(wanted.map(({ keyframe }) => keyframe))
        for (const [index, { dts, pts, track }] of found.entries()) {
          if (lateMs === 0) expect(ms(dts, track)).to.be.closeTo(wanted[index]!.dtsMs!, 1)
          expect(ms(pts, track)).to.be.closeTo(wanted[index]!.ptsMs! - lateMs, 1)
          expect(dts).to.be.at.most(pts)
          expect(dts).to.be.at.least(found[index - 1]?.dts ?? -Infinity)
        }
      }
    })
  }

  describe('with a stream of its own', () => {
    let source: Stream
    before(async () => (source = await B_FRAMES.read()))

    it('goes on over segments that repeat their init segment, and ends tracks that are gone', () => {
      const sink = new RecordingSink()
      const demuxer = new Fmp4Demuxer(sink)
      const bytes = inOneFragment(source)
      for (let count = 0; count < 2; count++) {
        demuxer.push(bytes)
        demuxer.flush()
      }
      expect(sink.tracks).to.have.length(2)
      expect(sink.units).to.have.length(2 * source.units.length)
      const video = source.tracks.filter(({ kind }) => kind === 'video')
      demuxer.push(createInitSegment(video))
      expect(sink.removed.map(({ kind }) => kind)).to.eql(['audio'])
    })

    it('tells languages, and numbers further tracks of a kind', () => {
      const { track: audio } = source.units.find(({ track }) => track.kind === 'audio')!
      const languages = [{ language: 'de' }, { language: 'pt-BR' }, {}]
      const tracks = languages.map((language, id): Track => ({ ...audio, ...language, id }))
      const writer = new FragmentWriter(tracks)
      for (const unit of source.units.filter(({ track }) => track === audio).slice(0, 3)) {
        for (const track of tracks) writer.write(unit.at(track, unit.dts, unit.pts))
      }
      const sink = new RecordingSink()
      const demuxer = new Fmp4Demuxer(sink)
      demuxer.push(createInitSegment(tracks))
      demuxer.push(writer.flush()!.data)
      expect(sink.tracks.map(({ language, layer }) => [language, layer])).to.eql([
        ['de', undefined],
        ['pt', '1'],
        [undefined, '2'],
      ])
      expect(mainTracks(sink.tracks)).to.eql([sink.tracks[0]])
    })

    it('drops samples that lie outside their data, and what is cut off', () => {
      const sink = new RecordingSink()
      const demuxer = new Fmp4Demuxer(sink)
      const bytes = inOneFragment(source)
      demuxer.push(bytes.subarray(0, bytes.length - 10))
      demuxer.flush()
      expect(sink.units).to.have.length(0)
      expect(demuxer.dropped).to.equal(source.units.length)
      const mdat = bytes.indexOf('mdat')
      demuxer.push(bytes.subarray(0, mdat - 4))
      demuxer.push(Buffer.from([0, 0, 0, 12, ...Buffer.from('mdat'), 1, 2, 3, 4]))
      expect(sink.units).to.have.length(0)
      expect(demuxer.dropped).to.equal(2 * source.units.length)
    })

    it('names what it can not carry', () => {
      const bytes = createInitSegment(source.tracks)
      bytes.write('encv', bytes.indexOf('avc1', bytes.indexOf('stsd')), 'latin1')
      const sink = new RecordingSink()
      const demuxer = new Fmp4Demuxer(sink)
      demuxer.push(bytes)
      expect([...demuxer.unsupported]).to.eql(['encv'])
    })

    it('refuses boxes past its limits', () => {
      const head = Buffer.concat([uint32(MAX_BOX_SIZE_BYTES + 1), Buffer.from('mdat')])
      expect(() => new Fmp4Demuxer(new RecordingSink()).push(head)).to.throw(MalformedError)
      const run = fullBox('trun', 0, 0, [uint32(0xffff_ffff)])
      const traf = { type: 'traf', children: [fullBox('tfhd', 0, 0, [uint32(1)]), run] }
      const moof = serializeBoxes([{ type: 'moof', children: [traf] }])
      expect(() => new Fmp4Demuxer(new RecordingSink()).push(moof)).to.throw(MalformedError)
    })

    it('reads anything or says that it is malformed', () => {
      const bytes = inOneFragment({ tracks: source.tracks, units: source.units.slice(0, 5) })
      const offset = fc.nat(bytes.length - 1)
      const changes = fc.array(fc.tuple(offset, fc.nat(255)), { maxLength: 20 })
      fc.assert(
        fc.property(changes, offset, fc.integer({ min: 1, max: 5000 }), (changes, end, pieceSizeBytes) => {
          const broken = Buffer.from(bytes.subarray(0, bytes.length - (end % 500)))
          // Most of what can go wrong is in the boxes before the media.
          for (const [at, value] of changes) broken[at % Math.min(broken.length, 2000)] = value
          try {
            const demuxer = new Fmp4Demuxer(new RecordingSink())
            for (let start = 0; start < broken.length; start += pieceSizeBytes) {
              demuxer.push(broken.subarray(start, start + pieceSizeBytes))
            }
            demuxer.flush()
          } catch (error) {
            if (!(error instanceof MalformedError)) throw error
          }
        }),
        { numRuns: rounds(2000) },
      )
    })
  })
})
