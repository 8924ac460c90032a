import { expect } from 'chai'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import type { Track } from '../../track.ts'
import { readWithMediabunny, readWithMp4box, type ReadTrack } from '../fixtures/other-readers.ts'
import { FMP4_SOURCES } from '../fixtures/sources.ts'
import type { Stream } from '../fixtures/stream.ts'
import { FMP4_AUDIO_JITTER_MS } from './track-fragment-writer.ts'
import { fragmented } from './fixtures/fragmented.ts'

type Reader = {
  /** Where it names a codec otherwise, without regard to case. */
  readonly names: ReadonlyMap<string, string>
  readonly videoToleranceSeconds: number
}

const MEDIABUNNY: Reader = {
  names: new Map([
    ['hvc1.1.6.l60.90', 'hev1.1.6.l60.90'],
    ['mp4a.6b', 'mp3'],
    ['vp09.00.20.08', 'vp09.00.20.08.01.02.02.02.00'],
  ]),
  videoToleranceSeconds: 1e-6,
}
/** It adds up durations from the first fragment on, and the last one of a fragment can be a guess. */
const MP4BOX: Reader = { names: new Map(), videoToleranceSeconds: 0.005 }

/** Audio is put where its frames' exact durations say. */
const AUDIO_TOLERANCE_SECONDS = FMP4_AUDIO_JITTER_MS / 1000

function expectTracks(found: readonly ReadTrack[], { tracks, units }: Stream, reader: Reader): void {
  expect(found.map(({ kind, codecs }) => [kind, codecs.toLowerCase()])).to.deep.equal(
    tracks.map(({ kind, config }) => {
      const codecs = config.codecString.toLowerCase()
      return [kind, reader.names.get(codecs) ?? codecs]
    }),
  )
  for (const [index, track] of tracks.entries()) {
    expectSamples(
      found[index]!,
      track,
      units.filter((unit) => unit.track === track),
      track.kind === 'audio' ? AUDIO_TOLERANCE_SECONDS : reader.videoToleranceSeconds,
    )
  }
}

function expectSamples(
  { samples }: ReadTrack,
  { timescale }: Track,
  units: Stream['units'],
  toleranceSeconds: number,
): void {
  expect(units.length).to.be.greaterThan(15)
  expect(samples).to.have.length(units.length)
  expect(samples.map(({ keyframe }) => keyframe)).to.deep.equal(units.map(({ keyframe }) => keyframe))
  for (const [index, { dts, pts, data }] of units.entries()) {
    const { ptsSeconds, dtsSeconds, data: found } = samples[index]!
    expect(found.equals(data), `the bytes of unit ${index}`).to.equal(true)
    expect(ptsSeconds).to.be.closeTo(pts / timescale, toleranceSeconds)
    if (dtsSeconds !== undefined) expect(dtsSeconds).to.be.closeTo(dts / timescale, toleranceSeconds)
  }
}

describe('fMP4 with other readers', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const source of FMP4_SOURCES) {
    it(`is read by mediabunny as what was written: ${source.name}`, async () => {
      const stream = await source.read()
      expectTracks(await readWithMediabunny(fragmented(stream, 10)), stream, MEDIABUNNY)
    })

    // mp4box reads past the end of a dfLa box, as it takes the flag of the last block for its opposite.
    if (source.name === 'flac') continue
    it(`is read by mp4box as what was written: ${source.name}`, async () => {
      const stream = await source.read()
      expectTracks(readWithMp4box(fragmented(stream, 10)), stream, MP4BOX)
    })
  }
})
