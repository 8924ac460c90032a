import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { AccessUnit } from 'sluice/sdk'
import type { PublishInit } from '../../../test/peers/ffmpeg.ts'
import { ffprobePackets, ffprobeStreams } from '../../../test/peers/ffprobe.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { inTurn } from '../../../test/support/soak.ts'
import { PresentationRig } from './fixtures/presentation-rig.ts'
import { countsOf, expectTogether, FORMS, saveAll, saveStretches } from './fixtures/saved-presentation.ts'
import type { Form } from './fixtures/saved-presentation.ts'
import { makeSourceUnits, writeSource, writeUnits } from './fixtures/source-units.ts'
import type { SourceUnits } from './fixtures/source-units.ts'

/** Of most sources: where the next one begins. */
const NEXT_SECONDS = 5.2
/** As long as a whole number of frames of AAC at 44.1 kHz, of pictures and of groups of them. */
const ROUND = { seconds: 10.24, pictures: 256, gopFrames: 32, sounds: 441 }
const ROUNDS_PER_HOUR = Math.ceil(3600 / ROUND.seconds)
/** The codecs that a publisher changes to from H.264, with ffmpeg's encoders of them. */
const OTHER_CODECS = [
  ['hevc', 'libx265', ['-x265-params', 'log-level=none:keyint=25:pools=none:frame-threads=1']],
  ['av1', 'libsvtav1', ['-preset', '12']],
] as const

describe('presentation: ffprobe reads without a complaint', () => {
  let folder: string
  let source: SourceUnits
  const made = new Map<string, Promise<SourceUnits>>()
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(join(tmpdir(), 'sluice-'))
    source = await make('source.flv', { video: { bFrames: 2 } })
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  function make(name: string, init: Omit<PublishInit, 'url'>): Promise<SourceUnits> {
    const units = made.get(name) ?? makeSourceUnits(join(folder, name), init)
    made.set(name, units)
    return units
  }

  /** A publisher whose tracks become others on the way. */
  function change(form: Form, before: SourceUnits, after: SourceUnits): PresentationRig {
    const rig = new PresentationRig({ ...form, fragmentMs: 1000, window: 1000 })
    for (const track of writeSource(rig, before)) rig.removeTrack(track)
    writeSource(rig, after, NEXT_SECONDS)
    rig.presentation.end()
    expect(rig.playlistText().match(/#EXT-X-DISCONTINUITY\n/gu)).to.have.length(1)
    expect([...rig.broken].filter((rule) => !/^part-duration: 0\.\d+ s is less/u.test(rule))).to.deep.equal([])
    return rig
  }

  /** What ffprobe cannot follow over a discontinuity it reads as playlists of their own. */
  async function readApart(rig: PresentationRig, stretches: readonly SourceUnits[]): Promise<string[][]> {
    const files = await saveStretches(folder, rig)
    expect(files).to.have.length(stretches.length)
    const reading = files.map(async (file, index) => {
      expectTogether(await ffprobePackets(file), stretches.slice(index, index + 1))
      return (await ffprobeStreams(file))
        .map(({ codec, width }) => (width > 0 ? `${codec} ${width}` : codec))
        .toSorted()
    })
    return Promise.all(reading)
  }

  for (const [name, form] of FORMS) {
    it(`a republish after 3 s: ${name}`, async () => {
      const rig = new PresentationRig({ ...form, window: 1000 })
      writeSource(rig, source)
      rig.endSource()
      writeSource(rig, source, NEXT_SECONDS + 3)
      rig.presentation.end()
      expect(rig.playlistText().match(/#EXT-X-DISCONTINUITY\n/gu)).to.have.length(1)
      expectTogether(await ffprobePackets(await saveAll(folder, rig)), [source, source])
    })

    it(`the last window of an hour without a gap: ${name}`, async () => {
      const { seconds, pictures, gopFrames, sounds } = ROUND
      const hour = await make('hour.flv', { video: { bFrames: 2, gopFrames }, durationSeconds: seconds })
      const kept = new Set([...ofKind(hour.units, 'video', 0, pictures), ...ofKind(hour.units, 'audio', 0, sounds)])
      const round = hour.units.filter((unit) => kept.has(unit))
      const rig = new PresentationRig({ ...form, checkEvery: 50 })
      const tracks = hour.tracks.map((track) => rig.addTrack(track))
      const written: AccessUnit[] = []
      const sink = { write: (unit: AccessUnit) => (written.push(unit), rig.write(unit)) }
      for (let index = 0; index < ROUNDS_PER_HOUR; index += 1) writeUnits(sink, tracks, round, index * seconds)
      rig.presentation.end()
      const { segments } = rig.playlist()
      const listedSeconds = segments.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)
      const packets = await ffprobePackets(await saveAll(folder, rig))
      const { video, audio } = countsOf(packets)
      expect(video / listedSeconds).to.be.closeTo(25, 0.1)
      expectTogether(packets, [{ units: [...ofKind(written, 'video', -video), ...ofKind(written, 'audio', -audio)] }])
      expect([...rig.broken]).to.deep.equal([])
    })
  }

  it('a change of size: MPEG-TS', async () => {
    const other = await make('size.flv', { video: { size: '640x360' } })
    const rig = change({ format: 'ts', lowLatency: false }, source, other)
    expectTogether(await ffprobePackets(await saveAll(folder, rig)), [source, other])
  })

  // Of fragmented MP4 it reads the first init segment only, and of MPEG-TS the first types of streams.
  for (const [turn, [name, form]] of FORMS.filter(([, { format }]) => format === 'fmp4').entries()) {
    it(`a change of size, before it and after it: ${name}`, async () => {
      const other = await make('size.flv', { video: { size: '640x360' } })
      const streams = await readApart(change(form, source, other), [source, other])
      expect(streams).to.deep.equal([
        ['aac', 'h264 320'],
        ['aac', 'h264 640'],
      ])
    })

    for (const [codec, encoder, output] of inTurn(OTHER_CODECS, turn)) {
      it(`a change of codec, before it and after it: ${name}, H.264 to ${codec}`, async () => {
        const other = await make(`${codec}.mp4`, { video: { encoder }, output })
        const streams = await readApart(change(form, source, other), [source, other])
        expect(streams).to.deep.equal([
          ['aac', 'h264 320'],
          ['aac', `${codec} 320`],
        ])
      })
    }
  }

  it('a change of codec, before it and after it: MPEG-TS, AAC to MP3', async () => {
    const other = await make('mp3.flv', { video: { bFrames: 2 }, audio: { encoder: 'libmp3lame' } })
    const rig = change({ format: 'ts', lowLatency: false }, source, other)
    expect(await readApart(rig, [source, other])).to.deep.equal([
      ['aac', 'h264 320'],
      ['h264 320', 'mp3'],
    ])
  })
})

function ofKind(units: readonly AccessUnit[], kind: 'video' | 'audio', from: number, to?: number): AccessUnit[] {
  return units.filter(({ track }) => track.kind === kind).slice(from, to)
}
