import { expect } from 'chai'
import { unitOf, videoTrack } from './fixtures/media.ts'
import { TrackMeter } from './track-meter.ts'

describe('TrackMeter', () => {
  it('counts units, bytes and keyframes, and how far these are apart', () => {
    const meter = new TrackMeter(0)
    for (let index = 0; index < 12; index++) meter.count(unitOf(videoTrack(), index * 40, 'abcd', index % 5 === 0))
    expect(meter).to.include({ units: 12, bytes: 48, keyframes: 3, gopUnits: 5, unitsSinceKeyframe: 2, lastDts: 440 })
  })

  it('measures rates from sample to sample, beginning with its start', () => {
    const meter = new TrackMeter(10_000)
    for (let index = 0; index < 25; index++) meter.count(unitOf(videoTrack(), index, 'abcd'))
    meter.sample(11_000)
    expect(meter).to.include({ bps: 100, fps: 25 })
    meter.count(unitOf(videoTrack(), 0, 'abcd'))
    meter.sample(11_500)
    expect(meter).to.include({ bps: 8, fps: 2 })
    meter.sample(11_500)
    expect(meter).to.include({ bps: 8, fps: 2 })
  })
})
