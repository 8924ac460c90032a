import { expect } from 'chai'
import { requirePeer } from '../../../../test/peers/require-peer.ts'
import type { AccessUnit } from '../../access-unit.ts'
import { readWithMediabunny, type ReadTrack } from '../fixtures/other-readers.ts'
import { TS_SOURCES } from '../fixtures/sources.ts'
import { PES_TIMESCALE } from '../pes/clock.ts'
import { movedUnits, muxTs } from './fixtures/units.ts'
import { TS_CLOCK_LEAD_TICKS } from './muxer.ts'

/** Where the reader names a codec otherwise. */
const NAMES = new Map([
  ['hvc1.1.6.L60.90', 'hev1.1.6.L60.90'],
  ['mp4a.6B', 'mp3'],
  ['mp4a.69', 'mp3'],
])

/** What the container puts before a frame or unit: an ADTS header; a delimiter and the parameter sets of a keyframe. */
const MAX_PREFIX_BYTES = 200

function expectSamples({ samples }: ReadTrack, units: readonly AccessUnit[]): void {
  expect(units.length).to.be.greaterThan(15)
  expect(samples.map(({ keyframe }) => keyframe)).to.deep.equal(units.map(({ keyframe }) => keyframe))
  for (const [index, unit] of units.entries()) {
    const { data, ptsSeconds } = samples[index]!
    expect(ptsSeconds).to.be.closeTo((unit.pts + TS_CLOCK_LEAD_TICKS) / PES_TIMESCALE, 1e-6)
    const written = unit.track.kind === 'video' ? unit.annexB : unit.data
    expect(data.subarray(-written.length).equals(written), `the bytes of unit ${index}`).to.equal(true)
    expect(data.length - written.length).to.be.at.most(MAX_PREFIX_BYTES)
  }
}

describe('MPEG-TS with other readers', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  for (const source of TS_SOURCES) {
    it(`is read by mediabunny as what was written: ${source.name}`, async () => {
      const { tracks, units } = movedUnits(await source.read(), 0)
      // It does not know Opus in this container.
      const known = tracks.filter(({ codec }) => codec !== 'opus')
      const found = await readWithMediabunny(muxTs(tracks, units))
      expect(found.map(({ kind, codecs }) => [kind, codecs])).to.deep.equal(
        known.map(({ kind, config: { codecString } }) => [kind, NAMES.get(codecString) ?? codecString]),
      )
      for (const [index, track] of known.entries()) {
        expectSamples(
          found[index]!,
          units.filter((unit) => unit.track === track),
        )
      }
    })
  }
})
