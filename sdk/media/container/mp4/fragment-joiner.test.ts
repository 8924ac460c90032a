import { expect } from 'chai'
import { framemd5 } from '../../../../test/peers/ffmpeg.ts'
import { ffprobePackets } from '../../../../test/peers/ffprobe.ts'
import { MovieLimitError } from '../../errors.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { bodyOf, parseBoxes } from '../fmp4/box.ts'
import { fragmented } from '../fmp4/fixtures/fragmented.ts'
import { findBoxes, readBoxes, readFragment } from '../fmp4/fixtures/boxes.ts'
import { createInitSegment, parseMovie } from '../fmp4/init-segment.ts'
import { sampleTrack } from '../flv/fixtures/tracks.ts'
import { B_FRAMES, ffmpegComplaints, writeMuxed } from '../fixtures/sources.ts'
import { joinedFile } from './fixtures/joined-files.ts'
import { FragmentJoiner, joinFragment } from './fragment-joiner.ts'

const SYNC = 0x0200_0000

describe('a fragmented file of several', () => {
  it('has the packets of all, each file at its time, and decodes to their frames', async function () {
    requirePeer(this, 'ffmpeg')
    const bytes = fragmented(await B_FRAMES.read(), 10)
    const joined = joinedFile({ bytes, startMs: 0 }, { bytes, startMs: 5000 })
    const file = writeMuxed('joined.mp4', joined)
    const once = await ffprobePackets(writeMuxed('one.mp4', bytes))
    const twice = await ffprobePackets(file)
    for (const kind of ['video', 'audio'] as const) {
      const [has, had] = [twice, once].map((packets) => packets.filter((packet) => packet.kind === kind))
      const wanted = [...had!, ...had!]
      expect(has!.map(({ md5, keyframe }) => [md5, keyframe])).to.eql(
        wanted.map(({ md5, keyframe }) => [md5, keyframe]),
      )
      for (const [index, { ptsMs }] of wanted.entries()) {
        const atMs = ptsMs! - once[0]!.dtsMs! + (index < had!.length ? 0 : 5000)
        expect(has![index]!.ptsMs).to.be.closeTo(atMs, 30)
      }
    }
    const sequence = findBoxes(readBoxes(joined), 'mfhd').map(({ body }) => body.readUInt32BE(4))
    expect(sequence).to.eql(Array.from({ length: sequence.length }, (_, index) => index + 1))
    expect(await ffmpegComplaints(file)).to.equal('')
    // A decoder of sound goes on with what it knows of the file before.
    const pictures = async (path: string) => (await framemd5(path)).filter(({ stream }) => stream === 0)
    const [found, source] = await Promise.all([pictures(file), pictures(B_FRAMES.file)])
    expect(source).to.have.length(50)
    expect(found.map(({ md5 }) => md5)).to.eql([...source, ...source].map(({ md5 }) => md5))
  })

  it('is made of no more fragments than can be kept in mind', () => {
    const joiner = new FragmentJoiner()
    const tracks = parseMovie(bodyOf(parseBoxes(createInitSegment([{ ...sampleTrack('aac').init, id: 0 }])), 'moov')!)
    joiner.beginSource({ tracks, startMs: 0 })
    for (let count = 0; count < 500_000; count++) joiner.addFragment([])
    expect(() => joiner.addFragment([])).to.throw(MovieLimitError, 'at most 500000 fragments')
  })

  it('names the sample entry of a file that has another one, and makes each fragment again as it was', () => {
    const movieOf = (size: object) => {
      const track = { ...sampleTrack('h264').init, id: 4 }
      const init = createInitSegment([{ ...track, config: { ...track.config, ...size } } as typeof track])
      return parseMovie(bodyOf(parseBoxes(init), 'moov')!)
    }
    const joiner = new FragmentJoiner()
    const samples = [{ durationTicks: 40, sizeBytes: 7, flags: SYNC, cts: 80 }]
    const heads = [{}, { width: 128 }, {}].map((size, index) => {
      joiner.beginSource({ tracks: movieOf(size), startMs: 1000 * index })
      const fragment = [{ trackId: 5, baseDts: 100, runs: [{ offset: 500, samples }] }]
      const { head, spans } = joiner.addFragment(fragment)
      expect(spans).to.eql([{ offset: 500, sizeBytes: 7 }])
      expect(joinFragment(joiner.placement!, fragment, index + 1)).to.eql({ head, spans })
      return Buffer.concat([head, Buffer.alloc(7)])
    })
    const runs = heads.map((bytes) => readFragment(bytes).runs)
    expect(runs.map(([run]) => [run!.trackId, run!.baseDts])).to.eql([
      [1, 0],
      [1, 1000],
      [1, 2000],
    ])
    const descriptions = heads.map((bytes) => {
      const { body } = findBoxes(readBoxes(bytes), 'tfhd')[0]!
      return (body.readUInt32BE(0) & 2) === 0 ? 1 : body.readUInt32BE(8)
    })
    expect(descriptions).to.eql([1, 2, 1])
    const init = joiner.serializeInit()
    expect(findBoxes(readBoxes(init), 'stsd')[0]!.children.map(({ type }) => type)).to.eql(['avc1', 'avc1'])
    expect(findBoxes(readBoxes(init), 'trex')).to.have.length(1)
  })
})
