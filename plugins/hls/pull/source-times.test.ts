import { expect } from 'chai'
import { AccessUnit, type Track } from 'sluice/sdk'
import { SourceTimes } from './source-times.ts'

const config = { record: Buffer.alloc(0), codecString: '' }
const VIDEO: Track = {
  id: 0,
  kind: 'video',
  codec: 'h264',
  timescale: 9e4,
  config: {
    ...config,
    width: 0,
    height: 0,
  },
}
const AUDIO: Track = {
  id: 1,
  kind: 'audio',
  codec: 'aac',
  timescale: 9e4,
  config: {
    ...config,
    sampleRate: 48e3,
    channels: 2,
  },
}
const RANGE = 2 ** 33

/** Units of so many seconds, 25 a second of video and 50 of audio, from a time on. */
function units(startMs: number, seconds = 1, tracks: readonly Track[] = [VIDEO, AUDIO]): AccessUnit[] {
  return tracks.flatMap((track) => {
    const stepMs = track.kind === 'video' ? 40 : 20
    return Array.from({ length: (seconds * 1000) / stepMs }, (_, index) => {
      const dts = ((startMs + index * stepMs) * 90) % RANGE
      return AccessUnit.fromData(track, dts, (dts + 3600) % RANGE, true, Buffer.alloc(1))
    })
  })
}

const spans = (timed: readonly { unit: AccessUnit }[], track: Track) => {
  const times = timed.filter(({ unit }) => unit.track === track).map(({ unit }) => unit.dts / 90)
  return [times[0], times.at(-1)]
}

describe('SourceTimeline', () => {
  it('starts at zero, and gives units in the order of their time', () => {
    const timed = new SourceTimes().place('main', 0, units(7000), true)
    expect(spans(timed, VIDEO)).to.eql([0, 960])
    expect(spans(timed, AUDIO)).to.eql([0, 980])
    expect(timed.map(({ dueMs }) => dueMs)).to.eql(timed.map(({ unit }) => unit.dts / 90))
    expect(timed.map(({ dueMs }) => dueMs)).to.eql(timed.map(({ dueMs }) => dueMs).toSorted((a, b) => a - b))
  })

  it('is not longer for data that comes now and then', () => {
    const data: Track = { id: 2, kind: 'data', codec: 'scte35', timescale: 90_000, config }
    const times = new SourceTimes()
    const cues = [0, 3960].map((ms) => AccessUnit.fromData(data, ms * 90, ms * 90, true, Buffer.alloc(1)))
    times.place('main', 0, [...units(0, 4), ...cues], true)
    expect(spans(times.place('main', 1, units(60_000), true), VIDEO)[0]).to.equal(4000)
  })

  it('goes on past the end of the counter, and keeps presentation beside decoding', () => {
    const times = new SourceTimes()
    const start = RANGE / 90 - 500
    const first = times.place('main', 0, units(Math.floor(start)), true)
    const second = times.place('main', 0, units(Math.floor(start) + 1000), true)
    expect(spans(first, VIDEO)).to.eql([0, 960])
    expect(spans(second, VIDEO)).to.eql([1000, 1960])
    for (const { unit } of [...first, ...second]) expect(unit.pts - unit.dts).to.equal(3600)
  })

  it('closes a jump at a discontinuity by the same offset for all tracks', () => {
    const times = new SourceTimes()
    times.place('main', 0, units(500_000), true)
    const timed = times.place('main', 1, [...units(20, 1, [VIDEO]), ...units(0, 1, [AUDIO])], true)
    expect(spans(timed, VIDEO)).to.eql([1020, 1980])
    expect(spans(timed, AUDIO)).to.eql([1000, 1980])
  })

  it('closes a step back at a discontinuity, however small, and leaves sound be that begins a little early', () => {
    const times = new SourceTimes()
    times.place('main', 0, units(0), true)
    expect(spans(times.place('main', 1, units(800), true), VIDEO)).to.eql([1000, 1960])
    const early = times.place('main', 2, [...units(1800, 1, [VIDEO]), ...units(1780, 1, [AUDIO])], true)
    expect(spans(early, VIDEO)).to.eql([2000, 2960])
    expect(spans(early, AUDIO)).to.eql([1980, 2960])
  })

  it('keeps renditions together, whichever comes first', () => {
    const times = new SourceTimes()
    times.place('main', 0, units(90_000, 1, [VIDEO]), true)
    expect(spans(times.place('audio', 0, units(90_030, 1, [AUDIO]), true), AUDIO)).to.eql([30, 1010])
    expect(spans(times.place('audio', 1, units(10, 1, [AUDIO]), true), AUDIO)).to.eql([1030, 2010])
    expect(spans(times.place('main', 1, units(0, 1, [VIDEO]), true), VIDEO)).to.eql([1020, 1980])
  })

  it('keeps the time of lost segments, but not that of a jump', () => {
    const times = new SourceTimes()
    times.place('main', 0, units(0), true)
    expect(spans(times.place('main', 0, units(5000), true), VIDEO)).to.eql([5000, 5960])
    expect(spans(times.place('main', 0, units(90_000), true), VIDEO)).to.eql([6000, 6960])
  })

  it('goes on smoothly over a jump that no playlist tells', () => {
    const timed = new SourceTimes().place('main', 0, [...units(0, 1, [VIDEO]), ...units(600_000, 1, [VIDEO])], true)
    expect(Math.max(...timed.map(({ dueMs }) => dueMs))).to.be.within(1900, 2000)
  })

  it('keeps pictures and sound together when both jump within a segment', () => {
    const jumping = [VIDEO, AUDIO].flatMap((track) => [...units(0, 1, [track]), ...units(600_000, 1, [track])])
    const times = new SourceTimes()
    const timed = times.place('main', 0, jumping, true)
    expect(spans(timed, VIDEO)).to.eql([0, 1960])
    expect(spans(timed, AUDIO)).to.eql([0, 1980])
    expect(spans(times.place('main', 0, units(601_000), true), AUDIO)).to.eql([2000, 2980])
  })

  it('takes long segments whose tracks come one after the other', () => {
    const timed = new SourceTimes().place('main', 0, units(5000, 60), false)
    expect(spans(timed, VIDEO)).to.eql([0, 59_960])
    expect(spans(timed, AUDIO)).to.eql([0, 59_980])
  })

  it('takes very many units', () => {
    expect(new SourceTimes().place('main', 0, units(0, 5000), false)).to.have.length(375_000)
  })

  it('takes an empty segment', () => {
    expect(new SourceTimes().place('main', 0, [], true)).to.eql([])
  })
})
