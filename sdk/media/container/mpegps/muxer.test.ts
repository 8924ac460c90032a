import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { framemd5, type HashedFrame } from '../../../../test/peers/ffmpeg.ts'
import { runPeer } from '../../../../test/peers/process.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { B_FRAMES, TS_SOURCES, writeMuxed } from '../fixtures/sources.ts'
import type { Stream } from '../fixtures/stream.ts'
import { movedUnits } from '../mpegts/fixtures/units.ts'
import { PES_CLOCK_RANGE } from '../pes/clock.ts'
import { PsDemuxer } from './demuxer.ts'
import { canCarryInPs, PsMuxer } from './muxer.ts'

const PS_CODECS = new Set(['h264', 'hevc', 'aac', 'mp3'])
const SOURCES = TS_SOURCES.filter(({ codecs }) => codecs.every((codec) => PS_CODECS.has(codec)))

function muxPs({ tracks, units }: Stream): Buffer[] {
  const muxer = new PsMuxer()
  muxer.start(tracks)
  return units.map((unit) => muxer.mux(unit))
}

function demuxPs(parts: readonly Buffer[]): RecordingSink {
  const sink = new RecordingSink()
  const demuxer = new PsDemuxer(sink)
  for (const part of parts) demuxer.push(part)
  demuxer.flush()
  return sink
}

/** What is compared of a stream's units, by kind, as sound and pictures come in another order where one is held back. */
function fieldsOf({ units }: Pick<Stream, 'units'>, kind: Track['kind']): unknown[] {
  return units
    .filter(({ track }) => track.kind === kind)
    .map(({ dts, pts, keyframe, data }) => [dts, pts, keyframe, data.toString('base64')])
}

const hashesOf = (frames: readonly HashedFrame[]) => frames.map(({ md5 }) => md5).toSorted()

describe('PsMuxer', () => {
  it('writes maps before keyframes, and units that are read again', () => {
    for (const codec of ['pcma', 'aac', 'mp3'] as const) {
      const tracks = [sampleTrack('h264').init, sampleTrack(codec).init].map((init, id) => ({
        ...init,
        timescale: 90_000,
        id,
      }))
      const units = Array.from({ length: 10 }, (_, index) => {
        const track = tracks[index % 2]!
        const { keyframe, frame } = sampleTrack(track.codec)
        const isKey = index % 4 === 0 || track.kind === 'audio'
        // G.711 of 40 ms: its samples count.
        const data = codec === 'pcma' && track.kind === 'audio' ? Buffer.alloc(320, index) : isKey ? keyframe : frame
        return AccessUnit.fromData(track, index * 1800, index * 1800, isKey, data)
      })
      const parts = muxPs({ tracks, units })
      const isMapped = (bytes: Buffer) => bytes.includes(Buffer.from([0, 0, 1, 0xbc]))
      expect(parts.map(isMapped)).to.eql(units.map(({ track, keyframe }) => track.kind === 'video' && keyframe))
      if (codec === 'mp3') continue
      const read = demuxPs(parts)
      expect(read.tracks.map((track) => track.codec)).to.have.members(['h264', codec])
      for (const kind of ['video', 'audio'] as const) expect(fieldsOf(read, kind)).to.eql(fieldsOf({ units }, kind))
    }
  })

  it('writes the map of sound alone each second', () => {
    const track = { ...sampleTrack('pcma').init, timescale: 8000, id: 0 }
    const units = Array.from({ length: 60 }, (_, index) =>
      AccessUnit.fromData(track, index * 320, index * 320, true, Buffer.alloc(320)),
    )
    const isMapped = muxPs({ tracks: [track], units }).map((bytes) => bytes.includes(Buffer.from([0, 0, 1, 0xbc])))
    expect(isMapped.flatMap((isIt, index) => (isIt ? [index] : []))).to.eql([0, 25, 50])
  })

  it('splits units of more than 65,535 bytes', () => {
    const track = { ...sampleTrack('h265').init, timescale: 90_000, id: 0 }
    const nalu = Buffer.concat([Buffer.from('2601af', 'hex'), Buffer.alloc(300_000, 0x55)])
    const units = [0, 1, 2].map((index) => AccessUnit.fromNalus(track, index * 3600, index * 3600, true, [nalu]))
    const read = demuxPs(muxPs({ tracks: [track], units }))
    expect(fieldsOf(read, 'video')).to.eql(fieldsOf({ units }, 'video'))
  })

  it('refuses tracks that a program stream has no place for', () => {
    const track = { ...sampleTrack('opus').init, id: 0 }
    expect(canCarryInPs(track)).to.equal(false)
    expect(() => new PsMuxer().start([track])).to.throw(RangeError, 'opus')
  })

  describe('with other readers', () => {
    before(function () {
      requirePeer(this, 'ffmpeg')
    })

    for (const source of SOURCES) {
      it(`decodes to the frames of the source, by ffmpeg and here: ${source.name}`, async () => {
        const moved = movedUnits(await source.read(), 90_000)
        const parts = muxPs(moved)
        const file = writeMuxed('muxed.mpg', Buffer.concat(parts))
        const [wanted, found] = await Promise.all([framemd5(source.file), framemd5(file)])
        expect(found.length).to.be.greaterThan(30)
        expect(hashesOf(found)).to.eql(hashesOf(wanted))
        const read = demuxPs(parts)
        for (const kind of ['video', 'audio'] as const) expect(fieldsOf(read, kind)).to.eql(fieldsOf(moved, kind))
      })
    }

    it('is read by GStreamer, which goes by the map', async function () {
      requirePeer(this, 'gstreamer')
      const moved = movedUnits(await B_FRAMES.read(), 90_000)
      const file = writeMuxed('gst.mpg', Buffer.concat(muxPs(moved)))
      // A file for each buffer.
      const folder = await mkdtemp(path.join(tmpdir(), 'sluice-ps-'))
      const sinkOf = (name: string) => `multifilesink location=${folder}/${name}%05d`
      const sinks = `d. ! queue ! video/x-h264 ! ${sinkOf('v')} d. ! queue ! audio/mpeg ! ${sinkOf('a')}`
      await runPeer('gst-launch-1.0', `filesrc location=${file} ! mpegpsdemux name=d ${sinks}`.split(' '))
      const names = await readdir(folder)
      await rm(folder, { recursive: true })
      const count = (name: string) => names.filter((each) => each.startsWith(name)).length
      const ofKind = (kind: string) => moved.units.filter(({ track }) => track.kind === kind).length
      expect([count('v'), count('a')]).to.eql([ofKind('video'), ofKind('audio')])
    })
  })

  it('goes on over the wrap of 33 bits', async function () {
    requirePeer(this, 'ffmpeg')
    const moved = movedUnits(await B_FRAMES.read(), PES_CLOCK_RANGE - 90_000)
    const read = demuxPs(muxPs(moved))
    const wrapped = moved.units.filter(({ track }) => track.kind === 'video').map(({ dts }) => dts % PES_CLOCK_RANGE)
    expect(read.units.filter(({ track }) => track.kind === 'video').map(({ dts }) => dts)).to.eql(wrapped)
  })

  describe('of others', () => {
    it('is read as it was meant: ffmpeg, without map and with another stream id', async function () {
      requirePeer(this, 'ffmpeg')
      const file = writeMuxed('of-ffmpeg.mpg', Buffer.alloc(0))
      const args = `-v error -y -i ${B_FRAMES.file} -c:v copy -bsf:v h264_mp4toannexb -an -f vob ${file}`.split(' ')
      await runPeer('ffmpeg', args)
      const { units } = demuxPs([await readFile(file)])
      const wanted = (await B_FRAMES.read()).units.filter(({ track }) => track.kind === 'video')
      expect(units.map(({ nalus }) => nalus.at(-1)!.toString('hex'))).to.eql(
        wanted.map(({ nalus }) => nalus.at(-1)!.toString('hex')),
      )
    })

    it('is read as it was meant: GStreamer, with one map and several pictures a pack', async function () {
      requirePeer(this, 'gstreamer')
      const file = writeMuxed('of-gst.mpg', Buffer.alloc(0))
      const source =
        'videotestsrc num-buffers=75 ! video/x-raw,width=320,height=240,framerate=25/1 ! x264enc bframes=0 key-int-max=25 tune=zerolatency speed-preset=ultrafast'
      await runPeer('gst-launch-1.0', `${source} ! h264parse ! mpegpsmux ! filesink location=${file}`.split(' '))
      const { units, lostUnits } = demuxPs([await readFile(file)])
      expect([units.length, lostUnits]).to.eql([75, 0])
      const steps = units.slice(1).map(({ dts }, index) => dts - units[index]!.dts)
      expect(new Set(steps)).to.eql(new Set([3600]))
    })
  })
})
