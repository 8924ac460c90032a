import { expect } from 'chai'
import { framemd5, type HashedFrame } from '../../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import { B_FRAMES, ffmpegComplaints, TS_B_FRAMES, TS_SOURCES, writeMuxed } from '../fixtures/sources.ts'
import type { Stream } from '../fixtures/stream.ts'
import { PES_CLOCK_RANGE, PES_TIMESCALE } from '../pes/clock.ts'
import { demuxTs, movedUnits, muxTs } from './fixtures/units.ts'
import { TS_CLOCK_LEAD_TICKS } from './muxer.ts'

/** What frames show and when, in order of time; by kind, as the streams of two containers have other numbers. */
async function decodedFrames(file: string): Promise<Record<'sound' | 'pictures', HashedFrame[]>> {
  const frames = (await framemd5(file)).toSorted((one, other) => one.pts - other.pts)
  const pictureSizeBytes = (320 * 240 * 3) / 2
  const isPicture = ({ sizeBytes }: HashedFrame) => sizeBytes === pictureSizeBytes
  return { pictures: frames.filter(isPicture), sound: frames.filter((frame) => !isPicture(frame)) }
}

const hashesOf = (frames: readonly { readonly md5: string }[]) => frames.map(({ md5 }) => md5)

describe('MPEG-TS with ffmpeg', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const source of TS_SOURCES) {
    it(`decodes to exactly the frames of the source: ${source.name}`, async () => {
      const { tracks, units } = movedUnits(await source.read(), 0)
      const muxed = writeMuxed('muxed.ts', muxTs(tracks, units))
      expect((await ffprobeStreams(muxed)).map(({ codec }) => codec)).to.have.members(source.codecs)
      const [wanted, found] = await Promise.all([decodedFrames(source.file), decodedFrames(muxed)])
      expect(hashesOf(found.pictures)).to.deep.equal(hashesOf(wanted.pictures))
      expect(hashesOf(found.sound)).to.deep.equal(hashesOf(wanted.sound))
      expect(found.pictures.length + found.sound.length).to.be.greaterThan(40)
      await expectTimes(muxed, units)
    })
  }

  async function expectTimes(file: string, units: Stream['units']): Promise<void> {
    const packets = await ffprobePackets(file)
    for (const kind of ['video', 'audio'] as const) {
      const written = units.filter(({ track }) => track.kind === kind)
      const toMs = (ticks: number) => Math.round(((ticks + TS_CLOCK_LEAD_TICKS) / PES_TIMESCALE) * 1000)
      expect(packets.filter((packet) => packet.kind === kind).map(({ dtsMs, ptsMs }) => [dtsMs, ptsMs])).to.deep.equal(
        written.map(({ dts, pts }) => [toMs(dts), toMs(pts)]),
      )
    }
  }

  it('reads what ffmpeg writes as the units that ffmpeg reads', async () => {
    const read = await TS_B_FRAMES.read()
    const packets = await ffprobePackets(TS_B_FRAMES.file)
    for (const kind of ['video', 'audio'] as const) {
      const units = read.units.filter(({ track }) => track.kind === kind)
      const probed = packets.filter((packet) => packet.kind === kind)
      expect(units.map(({ keyframe }) => keyframe)).to.deep.equal(probed.map(({ keyframe }) => keyframe))
      // ffmpeg rounds the times of frames within a PES packet otherwise.
      for (const [index, { dts, pts }] of units.entries()) {
        expect(dts / 90).to.be.closeTo(probed[index]!.dtsMs!, 1)
        expect(pts / 90).to.be.closeTo(probed[index]!.ptsMs!, 1)
      }
    }
  })

  it('goes on over the wrap of 33 bits', async () => {
    const start = PES_CLOCK_RANGE - PES_TIMESCALE - TS_CLOCK_LEAD_TICKS
    const { tracks, units } = movedUnits(await B_FRAMES.read(), start)
    const bytes = muxTs(tracks, units)
    expect(new Set(demuxTs([bytes]).units.map(({ dts }) => dts > PES_CLOCK_RANGE / 2))).to.deep.equal(
      new Set([true, false]),
    )
    const muxed = writeMuxed('wrap.ts', bytes)
    const [wanted, found] = await Promise.all([decodedFrames(B_FRAMES.file), decodedFrames(muxed)])
    for (const kind of ['pictures', 'sound'] as const) {
      expect(hashesOf(found[kind])).to.deep.equal(hashesOf(wanted[kind]))
      const steps = found[kind].slice(1).map(({ pts }, index) => pts - found[kind][index]!.pts)
      expect(Math.max(...steps)).to.be.at.most(3600)
    }
  })

  it('writes nothing that ffmpeg complains of', async () => {
    const { tracks, units } = movedUnits(await B_FRAMES.read(), 0)
    const muxed = writeMuxed('quiet.ts', muxTs(tracks, units))
    expect(await ffmpegComplaints(muxed)).to.equal('')
  })
})
