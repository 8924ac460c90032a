import { expect } from 'chai'
import type { AccessUnit } from '../media/access-unit.ts'
import { H264_NALU_TYPE } from '../media/codec/h264/nalu-type.ts'
import type { UnitSink } from '../media/unit-sink.ts'
import { ScriptedPublisher, type PublisherScript } from './scripted-publisher.ts'

function record(script: PublisherScript, write: (publisher: ScriptedPublisher) => void): AccessUnit[] {
  const units: AccessUnit[] = []
  const sink: UnitSink = {
    addTrack: (init) => ({ ...init, id: init.kind === 'video' ? 0 : 1 }),
    configureTrack: (track) => track,
    lost: () => undefined,
    removeTrack: () => undefined,
    write: (unit) => void units.push(unit),
  }
  write(new ScriptedPublisher(sink, script))
  return units
}

describe('ScriptedPublisher', () => {
  it('declares tracks of a size and a rate that are known', () => {
    const [video, audio] = record({}, (publisher) => publisher.write(2)).map((unit) => unit.track.config)
    expect(video).to.include({ width: 320, height: 240, codecString: 'avc1.64000d' })
    expect(audio).to.include({ sampleRate: 44_100, channels: 2, codecString: 'mp4a.40.2' })
  })

  it('writes the same units each time, no two alike', () => {
    const [first = [], second = []] = [1, 2].map(() => record({ bFrames: 2 }, (publisher) => publisher.write(40)))
    expect(first.map((unit) => unit.data.toString('hex'))).to.eql(second.map((unit) => unit.data.toString('hex')))
    expect(new Set(first.map((unit) => unit.data.toString('hex'))).size).to.equal(40)
  })

  it('shows frames in another order than they are decoded in, without gaps', () => {
    const units = record({ video: true, audio: false, bFrames: 2, gopFrames: 6 }, (publisher) => publisher.write(12))
    const frame = 90_000 / 25
    expect(units.map((unit) => unit.dts / frame)).to.eql([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(units.map((unit) => unit.pts / frame)).to.eql([1, 4, 2, 3, 6, 5, 7, 10, 8, 9, 12, 11])
    expect(units.every((unit) => unit.pts >= unit.dts)).to.equal(true)
    expect(units.flatMap((unit, index) => (unit.keyframe ? [index] : []))).to.eql([0, 6])
    const types = units.map((unit) => (unit.nalus[0]?.[0] ?? 0) & 31)
    expect(types.filter((type) => type === H264_NALU_TYPE.IDR)).to.have.length(2)
  })

  it('writes audio beside video, in the order of time', () => {
    const units = record({ fps: [24_000, 1001] }, (publisher) => publisher.writeFrames(48))
    const seconds = units.map((unit) => unit.dts / unit.track.timescale)
    expect(seconds).to.eql(seconds.toSorted((a, b) => a - b))
    expect(units.filter((unit) => unit.track.kind === 'video')).to.have.length(48)
    expect(units.filter((unit) => unit.track.kind === 'audio').length).to.be.within(84, 85)
    expect(units.find((unit) => unit.track.kind === 'video' && unit.dts > 0)?.dts).to.equal(3754)
  })

  it('writes one track alone', () => {
    const units = record({ video: false }, (publisher) => publisher.write(3))
    expect(units.map((unit) => [unit.track.kind, unit.dts])).to.eql([
      ['audio', 0],
      ['audio', 1024],
      ['audio', 2048],
    ])
  })
})
