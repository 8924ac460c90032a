import { expect } from 'chai'
import fc from 'fast-check'
import { framemd5 } from '../../../../test/peers/ffmpeg.ts'
import { ffprobePackets } from '../../../../test/peers/ffprobe.ts'
import { runPeer } from '../../../../test/peers/process.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { AccessUnit } from '../../access-unit.ts'
import { MalformedError, MovieLimitError } from '../../errors.ts'
import type { Track } from '../../track.ts'
import { bodyOf, parseBoxes } from '../fmp4/box.ts'
import { SAMPLE_FLAGS, type RunSample } from '../fmp4/boxes/track-run.ts'
import { fragmented } from '../fmp4/fixtures/fragmented.ts'
import { findBoxes, readBoxes, type ReadBox } from '../fmp4/fixtures/boxes.ts'
import type { TrackFragment } from '../fmp4/fragment.ts'
import { createInitSegment, parseMovie, type MovieTrack } from '../fmp4/init-segment.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { expectTracks, MEDIABUNNY, MP4BOX } from '../fixtures/expect-tracks.ts'
import { readWithMediabunny, readWithMp4box } from '../fixtures/other-readers.ts'
import { B_FRAMES, ffmpegComplaints, FMP4_SOURCES, Source, writeMuxed } from '../fixtures/sources.ts'
import type { Stream } from '../fixtures/stream.ts'
import { makeUnits } from '../mpegts/fixtures/units.ts'
import { plainFile } from './fixtures/joined-files.ts'
import type { DataSpan } from './data-span.ts'
import { parseMp4Movie } from './movie.ts'
import { MovieIndex } from './movie-index.ts'
import { Mp4SampleCursor, type Mp4Sample } from './sample-cursor.ts'

/** What ffmpeg says of mono in any file. */
const GUESS = /^Guessed Channel Layout for Input Stream .*\n/u

const SMALL = new Source('H.264 of another size', 'small.flv', ['h264', 'aac'], (path) =>
  makeUnits(path, { video: { size: '160x120' } }),
)

const dataOf = (samples: readonly { readonly data: Buffer }[]) => Buffer.concat(samples.map(({ data }) => data))

const isG711 = ({ tracks }: Stream) => tracks.some(({ codec }) => codec === 'pcma' || codec === 'pcmu')

/** Hashes of all pictures, made small: they differ in size. */
async function picturesOf(file: string): Promise<string[]> {
  const size = ['-an', '-fps_mode', 'passthrough', '-vf', 'scale=64:64:flags=neighbor']
  // Its parser of H.264 complains of pictures of the second entry; its decoder gets that.
  const output = await runPeer('ffmpeg', ['-v', 'error', '-nostdin', '-i', file, ...size, '-f', 'framemd5', '-'])
  const lines = output
    .toString()
    .split('\n')
    .filter((line) => /^\d/u.test(line))
  return lines.map((line) => line.slice(line.lastIndexOf(',')))
}

/** The units as if the stream had begun at 0, or each track of it. */
function fromZero({ tracks, units }: Stream, isEachTrack: boolean): Stream {
  const startOf = (track: Track) => {
    const own = units.filter((unit) => unit.track === track)
    return isEachTrack ? own[0]!.dts / track.timescale : Math.min(...own.map(({ pts }) => pts)) / track.timescale
  }
  const starts = tracks.map(startOf)
  const moved = units.map(({ track, dts, pts, keyframe, data }) => {
    const startTicks = (isEachTrack ? starts[tracks.indexOf(track)]! : Math.min(...starts)) * track.timescale
    return AccessUnit.fromData(track, dts - startTicks, pts - startTicks, keyframe, data)
  })
  return { tracks, units: moved }
}

const hashesOf = async (file: string) => (await framemd5(file)).map(({ md5 }) => md5)

describe('a plain file of fragments', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const source of FMP4_SOURCES) {
    it(`has the packets of the fragments for ffprobe: ${source.name}`, async () => {
      const bytes = fragmented(await source.read(), 10)
      const file = writeMuxed('plain.mp4', plainFile({ bytes, startMs: 0 }))
      const wanted = await ffprobePackets(writeMuxed('fragments.mp4', bytes))
      const found = await ffprobePackets(file)
      for (const kind of ['video', 'audio'] as const) {
        const [has, had] = [found, wanted].map((packets) => packets.filter((packet) => packet.kind === kind))
        expect(has!.map(({ md5, sizeBytes, keyframe }) => [md5, sizeBytes, keyframe])).to.eql(
          had!.map(({ md5, sizeBytes, keyframe }) => [md5, sizeBytes, keyframe]),
        )
        for (const time of ['ptsMs', 'dtsMs'] as const) {
          for (const [index, packet] of had!.entries()) {
            expect(has![index]![time]! - found[0]!.ptsMs!).to.be.closeTo(packet[time]! - wanted[0]!.ptsMs!, 2)
          }
        }
      }
      expect((await ffmpegComplaints(file)).replace(GUESS, '')).to.equal('')
      expect((await hashesOf(file)).toSorted()).to.eql((await hashesOf(source.file)).toSorted())
    })

    it(`is read by mediabunny as what was written: ${source.name}`, async () => {
      const stream = await source.read()
      const found = await readWithMediabunny(plainFile({ bytes: fragmented(stream, 10), startMs: 0 }))
      // Packets of G.711 are as long as the reader likes.
      if (isG711(stream)) expect(dataOf(found[0]!.samples).equals(dataOf(stream.units))).to.equal(true)
      else expectTracks(found, fromZero(stream, false), { ...MEDIABUNNY, videoToleranceSeconds: 0.001 })
    })

    // mp4box reads past the end of a dfLa box, as it takes the flag of the last block for its opposite.
    if (source.name === 'flac') continue
    it(`is read by mp4box as what was written: ${source.name}`, async () => {
      const stream = await source.read()
      const found = readWithMp4box(plainFile({ bytes: fragmented(stream, 10), startMs: 0 }))
      // It does not look at edit lists.
      if (isG711(stream)) expect(dataOf(found[0]!.samples).equals(dataOf(stream.units))).to.equal(true)
      else expectTracks(found, fromZero(stream, true), MP4BOX)
    })
  }

  /** The packets of one kind, with their times in milliseconds. */
  async function packetsOf(name: string, bytes: Buffer, kind: 'video' | 'audio') {
    return (await ffprobePackets(writeMuxed(name, bytes))).filter((packet) => packet.kind === kind)
  }

  for (const { title, startMs, stepMs } of [
    { title: 'a later one after the gap', startMs: 7000, stepMs: 7000 },
    { title: 'one that seems to begin a little later without a gap', startMs: 2090, stepMs: 2000 },
    { title: 'one that seems to begin before the end of the last behind it', startMs: 1500, stepMs: 2000 },
  ]) {
    it(`puts ${title}, pictures and sound alike`, async () => {
      const bytes = fragmented(await B_FRAMES.read(), 10)
      const joined = plainFile({ bytes, startMs: 0 }, { bytes, startMs })
      for (const kind of ['video', 'audio'] as const) {
        const once = await packetsOf('once.mp4', plainFile({ bytes, startMs: 0 }), kind)
        const twice = await packetsOf('twice.mp4', joined, kind)
        expect(twice).to.have.length(2 * once.length)
        expect(twice.map(({ md5 }) => md5)).to.eql([...once, ...once].map(({ md5 }) => md5))
        for (const [index, { dtsMs, ptsMs }] of once.entries()) {
          const again = twice[once.length + index]!
          // Sound lasts to where its last frame ends.
          expect(again.ptsMs! - ptsMs!).to.be.closeTo(stepMs, 50)
          expect(again.dtsMs! - again.ptsMs!).to.be.closeTo(dtsMs! - ptsMs!, 1)
        }
        const times = twice.map(({ dtsMs }) => dtsMs!)
        expect(times).to.eql(times.toSorted((one, other) => one - other))
        expect(new Set(times).size).to.equal(times.length)
      }
      expect(await ffmpegComplaints(writeMuxed('twice.mp4', joined))).to.equal('')
    })
  }

  it('has a sample entry for each configuration, once, and the frames of both', async () => {
    const [wide, small] = [await B_FRAMES.read(), await SMALL.read()]
    const files = [wide, small, wide].map((stream, index) => ({
      bytes: fragmented(stream, 10),
      startMs: index * 3e3,
    }))
    const joined = plainFile(...files)
    const [entries] = findBoxes(readBoxes(joined.subarray(0, joined.indexOf('mdat') - 4)), 'stsd')
    expect(entries!.children.map(({ type }) => type)).to.eql(['avc1', 'avc1'])
    const file = writeMuxed('configurations.mp4', joined)
    const [found, ofWide, ofSmall] = await Promise.all([file, B_FRAMES.file, SMALL.file].map(picturesOf))
    expect(ofSmall).to.have.length(50)
    expect(found).to.eql([...ofWide!, ...ofSmall!, ...ofWide!])
  })
})

const MAX_SAMPLES = 10_000_000
const trackOf = (codec: Track['codec'], id: number): Track => ({ ...sampleTrack(codec).init, id })
const sample = (fields: Partial<RunSample> = {}): RunSample => ({
  durationTicks: 40,
  sizeBytes: 10,
  flags: SAMPLE_FLAGS.sync,
  cts: 0,
  ...fields,
})

function moviesOf(...tracks: readonly Track[]): MovieTrack[] {
  return parseMovie(bodyOf(parseBoxes(createInitSegment(tracks)), 'moov')!)
}

function headOf(index: MovieIndex): { head: Buffer; moov: Buffer } {
  const head = Buffer.concat(index.serializeHead())
  return { head, moov: bodyOf(parseBoxes(head.subarray(0, head.lastIndexOf('mdat') - 4)), 'moov')! }
}

/** The samples that the tables of a file tell of, by track. */
function samplesOf(moov: Buffer) {
  return parseMp4Movie(moov).tracks.map(({ table, shiftTicks }) => {
    for (const _ of table.prepare());
    const cursor = new Mp4SampleCursor(table, 0)
    const samples: (Mp4Sample & { isSync: boolean })[] = []
    for (let next = cursor.sample; next !== undefined; next = cursor.sample) {
      samples.push({ ...next, isSync: table.syncBefore(samples.length) === samples.length })
      cursor.advance()
    }
    return { samples, shiftTicks, durationTicks: table.durationTicks }
  })
}

describe('the index of a movie', () => {
  const [video, audio] = moviesOf(trackOf('h264', 0), trackOf('aac', 1)) as [MovieTrack, MovieTrack]

  it('tells of all samples as their fragments do', () => {
    const number = (max: number) => fc.integer({ min: 0, max })
    const samples = fc.array(
      fc.record({
        durationTicks: fc.integer({ min: 1, max: 100_000 }),
        sizeBytes: number(100_000),
        flags: fc.constantFrom(SAMPLE_FLAGS.sync, SAMPLE_FLAGS.dependent),
        cts: fc.integer({ min: -100, max: 100_000 }),
      }),
      { minLength: 1, maxLength: 5 },
    )
    const fragment = fc.record({ video: samples, audio: samples, gap: number(1000), isApart: fc.boolean() })
    fc.assert(
      fc.property(fc.array(fragment, { minLength: 1, maxLength: 8 }), (parts) => {
        const index = new MovieIndex()
        index.beginSource({ tracks: [video, audio], startMs: 0 })
        const ends = [0, 0]
        const wanted: { dts: number; cts: number; sizeBytes: number; isSync: boolean; at: number }[][] = [[], []]
        const data: DataSpan[] = []
        let offset = 0
        for (const part of parts) {
          const fragments = [part.video, part.audio].map((run, track): TrackFragment => {
            if (part.isApart) offset += 100
            const baseDts = ends[track]! + part.gap
            const runs = [{ offset, samples: run }]
            ends[track] = baseDts
            for (const { durationTicks, sizeBytes, cts, flags } of run) {
              wanted[track]!.push({
                dts: ends[track],
                cts,
                sizeBytes,
                isSync: flags === SAMPLE_FLAGS.sync,
                at: offset,
              })
              ends[track] += durationTicks
              offset += sizeBytes
            }
            return { trackId: track + 1, baseDts, runs }
          })
          data.push(...index.addFragment(fragments))
        }
        const { head, moov } = headOf(index)
        for (const [track, { samples: found, durationTicks }] of samplesOf(moov).entries()) {
          const [first] = wanted[track]!
          expect(found.map(({ dts, cts, sizeBytes, isSync }) => ({ dts, cts, sizeBytes, isSync }))).to.eql(
            wanted[track]!.map(({ dts, cts, sizeBytes, isSync }) => ({
              dts: dts - first!.dts,
              cts,
              sizeBytes,
              isSync,
            })),
          )
          expect(durationTicks).to.equal(ends[track]! - first!.dts)
          for (const [position, { at, sizeBytes }] of wanted[track]!.entries()) {
            if (sizeBytes > 0) expect(sourceOffset(data, found[position]!.offset - head.length)).to.equal(at)
          }
        }
      }),
    )
  })

  it('says what begins later, and what is presented later than it is decoded', () => {
    const index = new MovieIndex()
    index.beginSource({ tracks: [video, audio], startMs: 0 })
    const pictures = [sample({ cts: 80 }), sample({ cts: 160, flags: SAMPLE_FLAGS.dependent }), sample({ cts: 0 })]
    index.addFragment([
      { trackId: 1, baseDts: 5000, runs: [{ offset: 0, samples: pictures }] },
      { trackId: 2, baseDts: 44_100 * 6, runs: [{ offset: 30, samples: [sample({ durationTicks: 1024 })] }] },
    ])
    const { moov } = headOf(index)
    const [pictureTimes, soundTimes] = samplesOf(moov)
    expect(pictureTimes!.shiftTicks).to.equal(-80)
    // From 5080 to 6000.
    expect(soundTimes!.shiftTicks).to.equal(Math.floor(0.92 * 44_100))
    const durations = findBoxes(readBoxes(moov), 'tkhd').map(({ body }) => body.readUInt32BE(20))
    expect(durations).to.eql([160, 920 + 24])
    expect(findBoxes(readBoxes(moov), 'mvhd')[0]!.body.readUInt32BE(16)).to.equal(944)
  })

  it('has offsets, sizes and durations of 64 bits where they are needed', () => {
    const index = new MovieIndex()
    index.beginSource({ tracks: [video], startMs: 0 })
    const [size, day] = [2 ** 31, 86_400_000]
    for (let part = 0; part < 40; part++) {
      const samples = [sample({ sizeBytes: size, durationTicks: day })]
      index.addFragment([{ trackId: 1, baseDts: part * day, runs: [{ offset: part * size, samples }] }])
    }
    expect(index.mediaSizeBytes).to.equal(40 * size)
    const { head, moov } = headOf(index)
    expect(head.subarray(-16).toString('hex')).to.equal(
      '000000016d646174' + (40 * size + 16).toString(16).padStart(16, '0'),
    )
    const [{ samples, durationTicks }] = samplesOf(moov) as [ReturnType<typeof samplesOf>[0]]
    expect(samples.map(({ offset }) => offset)).to.eql(
      Array.from({ length: 40 }, (_, part) => head.length + part * size),
    )
    expect(durationTicks).to.equal(40 * day)
    for (const type of ['mvhd', 'tkhd', 'mdhd']) expect(findBoxes(readBoxes(moov), type)[0]!.body[0]).to.equal(1)
    expect(findBoxes(readBoxes(moov), 'mdhd')[0]!.body.readBigUInt64BE(24)).to.equal(BigInt(40 * day))
  })

  it('goes on in the timescale of the first file, without adding up what is rounded', () => {
    const [other] = moviesOf({ ...trackOf('h264', 0), timescale: 90_000 }) as [MovieTrack]
    const index = new MovieIndex()
    index.beginSource({ tracks: [video], startMs: 0 })
    index.addFragment([{ trackId: 1, baseDts: 0, runs: [{ offset: 0, samples: [sample()] }] }])
    index.beginSource({ tracks: [other], startMs: 40 })
    const samples = Array.from({ length: 300 }, () => sample({ durationTicks: 3003 }))
    index.addFragment([{ trackId: 1, baseDts: 0, runs: [{ offset: 0, samples }] }])
    const [{ samples: found, durationTicks }] = samplesOf(headOf(index).moov) as [ReturnType<typeof samplesOf>[0]]
    expect(found.at(-1)!.dts).to.equal(40 + Math.floor((299 * 3003) / 90))
    expect(durationTicks).to.equal(40 + (300 * 3003) / 90)
  })

  it('keeps the order of decoding where fragments overlap, and when each sample is presented', () => {
    const index = new MovieIndex()
    index.beginSource({ tracks: [video], startMs: 0 })
    index.addFragment([{ trackId: 1, baseDts: 0, runs: [{ offset: 0, samples: [sample(), sample()] }] }])
    index.addFragment([{ trackId: 1, baseDts: 20, runs: [{ offset: 20, samples: [sample(), sample()] }] }])
    const { moov } = headOf(index)
    const [{ samples, durationTicks }] = samplesOf(moov) as [ReturnType<typeof samplesOf>[0]]
    expect(samples.map(({ dts, cts }) => [dts, cts])).to.eql([
      [0, 0],
      [40, 0],
      [41, -21],
      [60, 0],
    ])
    expect(durationTicks).to.equal(100)
    // Offsets have a sign in version 1 alone.
    expect(findBoxes(readBoxes(moov), 'ctts')[0]!.body[0]).to.equal(1)
  })

  it('has a sample for each time of G.711, and no table of their sizes', () => {
    const index = new MovieIndex()
    const [sound] = moviesOf(trackOf('pcma', 0)) as [MovieTrack]
    index.beginSource({ tracks: [sound], startMs: 0 })
    const frame = sample({ durationTicks: 160, sizeBytes: 160 })
    index.addFragment([{ trackId: 1, baseDts: 0, runs: [{ offset: 0, samples: [frame, frame] }] }])
    index.addFragment([{ trackId: 1, baseDts: 400, runs: [{ offset: 320, samples: [frame] }] }])
    const { moov } = headOf(index)
    const bodies = new Map(readBoxes(moov).flatMap((box) => tablesOf(box)))
    expect(bodies.get('stsz')).to.equal('00000000 00000001 000001e0')
    // 319 of one tick, one up to the gap's end, and 160 more.
    expect(bodies.get('stts')).to.equal('00000000 00000003 0000013f 00000001 00000001 00000051 000000a0 00000001')
    expect(bodies.get('stsc')).to.equal('00000000 00000002 00000001 00000140 00000001 00000002 000000a0 00000001')
  })

  it('refuses what has no room, and fragments without a time or a file', () => {
    const index = new MovieIndex()
    const add = (baseDts: number | undefined, samples: readonly RunSample[] = [sample()]) =>
      index.addFragment([{ trackId: 1, baseDts, runs: [{ offset: 0, samples }] }])
    expect(() => add(0)).to.throw(RangeError, 'no file was begun')
    index.beginSource({ tracks: [video], startMs: 0 })
    expect(index.addFragment([])).to.eql([])
    expect(() => add(undefined)).to.throw(MalformedError, 'does not say when it begins')
    add(0)
    expect(() => add(2 ** 33)).to.throw(MovieLimitError, 'no room for a gap of 8589934592 ticks')
    const many = Array.from({ length: 100_000 }, () => sample())
    expect(() => {
      for (let count = 0; count <= MAX_SAMPLES; count += many.length) add(count * 40, many)
    }).to.throw(MovieLimitError, `at most ${MAX_SAMPLES} samples`)
  })
})

/** The tables of a track, in words of four bytes. */
function tablesOf(box: ReadBox): [type: string, words: string][] {
  return findBoxes([box], 'stbl').flatMap(({ children }) =>
    children.map(({ type, body }): [string, string] => [type, body.toString('hex').replaceAll(/.{8}(?=.)/gu, '$& ')]),
  )
}

/** Where in the source a byte of the content of the `mdat` lies. */
function sourceOffset(spans: readonly DataSpan[], position: number): number | undefined {
  let left = position
  for (const { offset, sizeBytes } of spans) {
    if (left < sizeBytes) return offset + left
    left -= sizeBytes
  }
  return undefined
}
