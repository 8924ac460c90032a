import { expect } from 'chai'
import fc from 'fast-check'
import type { AccessUnit, Track } from 'sluice/sdk'
import { MalformedError, serializeAdtsHeader } from 'sluice/sdk/media'
import { packAudio } from '../../../test/support/packed-audio.ts'
import { PackedAudioDemuxer } from './packed-audio.ts'

const FORMAT = { objectType: 2, sampleRate: 48_000, channelConfiguration: 2 }
const TICKS_PER_FRAME = 1920

describe('PackedAudioDemuxer', () => {
  const frames = Array.from({ length: 6 }, (_, index) => Buffer.alloc(10 + index, index))
  const adts = Buffer.concat(frames.flatMap((frame) => [serializeAdtsHeader(FORMAT, frame.length), frame]))

  function demux(...segments: readonly Buffer[]) {
    const units: AccessUnit[] = []
    const tracks: Track[] = []
    const demuxer = new PackedAudioDemuxer({
      addTrack(init) {
        tracks.push({ ...init, id: tracks.length })
        return tracks.at(-1)!
      },
      configureTrack: (track) => track,
      lost: () => undefined,
      removeTrack() {},
      write: (unit) => void units.push(unit),
    })
    for (const segment of segments) demuxer.push(segment)
    return { units, tracks }
  }

  it('gives frames from the time on that the tag of a segment tells', () => {
    const start = 2 ** 32 + 5
    const { units, tracks } = demux(...packAudio(adts, start, 3).map(({ bytes }) => bytes))
    expect(tracks.map(({ codec, timescale }) => [codec, timescale])).to.eql([['aac', 90_000]])
    expect(units.map(({ data }) => data)).to.eql(frames)
    expect(units.map(({ dts }) => dts)).to.eql(frames.map((_, index) => start + index * TICKS_PER_FRAME))
  })

  it('goes on where the segment before has ended without a tag', () => {
    const { units } = demux(adts, adts)
    expect(units.map(({ pts }) => pts)).to.eql(Array.from({ length: 12 }, (_, index) => index * TICKS_PER_FRAME))
  })

  it('reads anything or says that it is malformed', () => {
    const [segment] = packAudio(adts, 0, 6)
    const changes = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 8 })
    fc.assert(
      fc.property(changes, fc.nat(200), (changes, cut) => {
        const broken = Buffer.from(segment!.bytes.subarray(0, segment!.bytes.length - cut))
        for (const [at, value] of changes) if (at < broken.length) broken[at] = value
        try {
          demux(broken)
        } catch (error) {
          if (!(error instanceof MalformedError)) throw error
        }
      }),
    )
  })
})
