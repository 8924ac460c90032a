import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { framemd5 } from '../../../../test/peers/ffmpeg.ts'
import type { HashedFrame, PublishInit } from '../../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../../../../test/peers/ffprobe.ts'
import { runPeer } from '../../../../test/peers/process.ts'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import type { RecordingSink } from '../flv/fixtures/recording-sink.ts'
import { TS_CLOCK_RANGE, TS_TIMESCALE } from './clock.ts'
import { demuxTs, makeUnits, movedUnits, muxTs } from './fixtures/units.ts'
import { TS_CLOCK_LEAD_TICKS } from './muxer.ts'

type Source = { readonly file: string; readonly init: Omit<PublishInit, 'url'> }

const SOURCES: readonly (Source & { readonly name: string; readonly codecs: readonly string[] })[] = [
  { name: 'H.264 with B-frames and AAC', file: 'a.flv', init: { video: { bFrames: 2 } }, codecs: ['h264', 'aac'] },
  { name: '23.976 frames a second', file: 'b.flv', init: { video: { fps: '24000/1001' } }, codecs: ['h264', 'aac'] },
  { name: 'AAC alone', file: 'c.flv', init: { video: false }, codecs: ['aac'] },
  { name: 'H.264 alone', file: 'd.flv', init: { audio: false }, codecs: ['h264'] },
  { name: 'MP3', file: 'e.flv', init: { video: false, audio: { encoder: 'libmp3lame' } }, codecs: ['mp3'] },
  {
    name: 'MP3 of a low rate',
    file: 'f.flv',
    init: { video: false, audio: { encoder: 'libmp3lame', sampleRate: 22_050 }, output: ['-ar', '22050'] },
    codecs: ['mp3'],
  },
  { name: 'H.265', file: 'g.ts', init: { video: { encoder: 'libx265', bFrames: 2 } }, codecs: ['hevc', 'aac'] },
  { name: 'AC-3', file: 'h.ts', init: { audio: { encoder: 'ac3' } }, codecs: ['h264', 'ac3'] },
  { name: 'E-AC-3', file: 'i.ts', init: { audio: { encoder: 'eac3' } }, codecs: ['h264', 'eac3'] },
  {
    name: 'Opus',
    file: 'j.ts',
    init: { audio: { encoder: 'libopus', sampleRate: 48_000 } },
    codecs: ['h264', 'opus'],
  },
]

/** What frames show and when, in order of time; by kind, as the streams of two containers have other numbers. */
async function decodedFrames(file: string): Promise<Record<'sound' | 'pictures', HashedFrame[]>> {
  const frames = (await framemd5(file)).toSorted((one, other) => one.pts - other.pts)
  const pictureSizeBytes = (320 * 240 * 3) / 2
  const isPicture = ({ sizeBytes }: HashedFrame) => sizeBytes === pictureSizeBytes
  return { pictures: frames.filter(isPicture), sound: frames.filter((frame) => !isPicture(frame)) }
}

const hashesOf = (frames: readonly { readonly md5: string }[]) => frames.map(({ md5 }) => md5)

describe('MPEG-TS with ffmpeg', function () {
  this.timeout(30_000)
  let folder: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(join(tmpdir(), 'sluice-'))
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  async function write(name: string, bytes: Buffer): Promise<string> {
    const file = join(folder, name)
    await writeFile(file, bytes)
    return file
  }

  for (const { name, file, init, codecs } of SOURCES) {
    it(`decodes to exactly the frames of the source: ${name}`, async () => {
      const source = join(folder, file)
      const { tracks, units } = movedUnits(await makeUnits(source, init), 0)
      const muxed = await write(`muxed-${file}.ts`, muxTs(tracks, units))
      expect((await ffprobeStreams(muxed)).map(({ codec }) => codec)).to.have.members(codecs)
      const [wanted, found] = await Promise.all([decodedFrames(source), decodedFrames(muxed)])
      expect(hashesOf(found.pictures)).to.deep.equal(hashesOf(wanted.pictures))
      expect(hashesOf(found.sound)).to.deep.equal(hashesOf(wanted.sound))
      expect(found.pictures.length + found.sound.length).to.be.greaterThan(40)
      await expectTimes(muxed, units)
    })
  }

  async function expectTimes(file: string, units: RecordingSink['units']): Promise<void> {
    const packets = await ffprobePackets(file)
    for (const kind of ['video', 'audio'] as const) {
      const written = units.filter(({ track }) => track.kind === kind)
      const toMs = (ticks: number) => Math.round(((ticks + TS_CLOCK_LEAD_TICKS) / TS_TIMESCALE) * 1000)
      expect(packets.filter((packet) => packet.kind === kind).map(({ dtsMs, ptsMs }) => [dtsMs, ptsMs])).to.deep.equal(
        written.map(({ dts, pts }) => [toMs(dts), toMs(pts)]),
      )
    }
  }

  it('reads what ffmpeg writes as the units that ffmpeg reads', async () => {
    const source = join(folder, 'own.ts')
    const read = await makeUnits(source, { video: { bFrames: 2 } })
    const packets = await ffprobePackets(source)
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
    const source = join(folder, 'wrap.flv')
    const start = TS_CLOCK_RANGE - TS_TIMESCALE - TS_CLOCK_LEAD_TICKS
    const { tracks, units } = movedUnits(await makeUnits(source, { video: { bFrames: 2 } }), start)
    const bytes = muxTs(tracks, units)
    expect(new Set(demuxTs([bytes]).units.map(({ dts }) => dts > TS_CLOCK_RANGE / 2))).to.deep.equal(
      new Set([true, false]),
    )
    const muxed = await write('wrap.ts', bytes)
    const [wanted, found] = await Promise.all([decodedFrames(source), decodedFrames(muxed)])
    for (const kind of ['pictures', 'sound'] as const) {
      expect(hashesOf(found[kind])).to.deep.equal(hashesOf(wanted[kind]))
      const steps = found[kind].slice(1).map(({ pts }, index) => pts - found[kind][index]!.pts)
      expect(Math.max(...steps)).to.be.at.most(3600)
    }
  })

  it('writes nothing that ffmpeg complains of', async () => {
    const { tracks, units } = movedUnits(await makeUnits(join(folder, 'quiet.flv'), { video: { bFrames: 2 } }), 0)
    const muxed = await write('quiet.ts', muxTs(tracks, units))
    const output = await runPeer('sh', ['-c', 'ffmpeg -v warning -nostdin -i "$0" -c copy -f null - 2>&1', muxed])
    expect(output.toString()).to.equal('')
  })
})
