import { expect } from 'chai'
import { framemd5 } from '../../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { inTurn } from '../../../../test/support/soak.ts'
import { B_FRAMES, ffmpegComplaints, FMP4_SOURCES, writeMuxed, type Source } from '../fixtures/sources.ts'
import type { Stream } from '../fixtures/stream.ts'
import { movedUnits } from '../mpegts/fixtures/units.ts'
import { fragmented } from './fixtures/fragmented.ts'

const hashesOf = async (file: string) => (await framemd5(file)).map(({ md5 }) => md5).toSorted()

describe('fMP4 with ffmpeg', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  /** Decodes to the source's frames, at the units' times, in fragments of so many units. */
  async function expectSame(source: Source, unitCount: number): Promise<void> {
    const stream = await source.read()
    const wanted = await hashesOf(source.file)
    expect(wanted.length).to.be.greaterThan(15)
    const file = writeMuxed('fragmented.mp4', fragmented(stream, unitCount))
    expect((await ffprobeStreams(file)).map(({ codec }) => codec)).to.have.members(source.codecs)
    expect(await hashesOf(file)).to.deep.equal(wanted)
    await expectPackets(file, stream)
  }

  async function expectPackets(file: string, { units }: Stream): Promise<void> {
    const packets = await ffprobePackets(file)
    for (const kind of ['video', 'audio'] as const) {
      const written = units.filter(({ track }) => track.kind === kind)
      const found = packets.filter((packet) => packet.kind === kind)
      expect(found.map(({ sizeBytes }) => sizeBytes)).to.deep.equal(written.map(({ data }) => data.length))
      for (const [index, { dts, pts, keyframe, track }] of written.entries()) {
        // Audio may lie a little off, for the sake of exact durations.
        expect(found[index]!.dtsMs).to.be.closeTo((dts / track.timescale) * 1000, 2)
        expect(found[index]!.ptsMs).to.be.closeTo((pts / track.timescale) * 1000, 2)
        expect(found[index]!.keyframe).to.equal(keyframe)
      }
    }
  }

  for (const [turn, source] of FMP4_SOURCES.entries()) {
    for (const unitCount of inTurn([1, 30], turn)) {
      it(`decodes to exactly the frames of the source: ${source.name}, by ${unitCount}`, () =>
        expectSame(source, unitCount))
    }
  }

  it('goes on past 33 bits of 90 kHz', async () => {
    const stream = movedUnits(await B_FRAMES.read(), 2 ** 33 - 90_000)
    const file = writeMuxed('late.mp4', fragmented(stream, 30))
    expect(await hashesOf(file)).to.deep.equal(await hashesOf(B_FRAMES.file))
    await expectPackets(file, stream)
  })

  it('writes nothing that ffmpeg complains of', async () => {
    const file = writeMuxed('quiet.mp4', fragmented(await B_FRAMES.read(), 7))
    expect(await ffmpegComplaints(file)).to.equal('')
  })
})
