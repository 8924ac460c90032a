import { expect } from 'chai'
import type { AccessUnit } from 'sluice/sdk'
import { PlayoutRig } from './fixtures/playout-rig.ts'
import { samplePicture, samplePictures, sampleVideoTrack } from './fixtures/sample-stream.ts'

const TRACK = sampleVideoTrack('h264')
const EVERY_MS = 40

/** A viewer that comes `keptCount` pictures after a keyframe, and stays for two seconds. */
function join(keptCount: number): { readonly rig: PlayoutRig; readonly units: readonly AccessUnit[] } {
  const units = samplePictures(TRACK, keptCount + 50, { groupSize: 10_000 })
  const rig = new PlayoutRig({ tracks: [TRACK], kept: units.slice(0, keptCount) })
  rig.playout.start()
  for (const unit of units.slice(keptCount)) {
    rig.clock.advance(EVERY_MS)
    rig.playout.unit(unit)
  }
  return { rig, units }
}

/** When each picture was complete, in milliseconds since the viewer came. */
function arrivals(rig: PlayoutRig): number[] {
  return rig.arrivals.filter(({ marker }) => marker).map(({ atMs }) => atMs)
}

describe('CatchUp', () => {
  for (const keptCount of [25, 50, 74]) {
    it(`shows a picture at once, and is at the live edge within a second, ${keptCount} pictures after the keyframe`, () => {
      const { rig, units } = join(keptCount)
      const at = arrivals(rig)
      expect(at[0]).to.equal(0)
      expect(rig.viewer.frames.length, 'all pictures').to.equal(units.length)
      const isLate = (ms: number, index: number) => ms > Math.max(0, (index - keptCount + 1) * EVERY_MS)
      expect(Math.max(0, ...at.filter(isLate)), 'the last that is late').to.be.below(1000)
    })

    it(`gives times that go with their coming, ${keptCount} pictures after the keyframe`, () => {
      const { rig } = join(keptCount)
      const [first] = rig.viewer.frames
      const at = arrivals(rig)
      const errorsMs = rig.viewer.frames.map(({ timestamp }, index) => {
        return at[index]! - ((timestamp - first!.timestamp) >>> 0) / 90
      })
      expect(Math.max(...errorsMs) - Math.min(...errorsMs), 'what a player has to buffer').to.be.below(45)
      const times = rig.viewer.frames.map(({ timestamp }) => (timestamp - first!.timestamp) >>> 0)
      expect(times.every((time, index) => index === 0 || time > times[index - 1]!)).to.equal(true)
    })
  }

  it('tells the wall clock by the live edge', () => {
    const { rig } = join(50)
    const [report] = rig.viewer.rtcp.filter((packet) => packet.kind === 'senderReport')
    const atMs = arrivals(rig)
    const errorsMs = rig.viewer.frames.map(({ timestamp }, index) => {
      const capturedMs = report!.ntpMs! + ((timestamp - report!.rtpTimestamp) | 0) / 90
      return capturedMs - (rig.startMs + atMs[index]!)
    })
    expect(Math.max(...errorsMs.map(Math.abs))).to.be.below(45)
  })

  it('sends a few pictures at once as they are', () => {
    const { rig } = join(2)
    expect(arrivals(rig).slice(0, 3)).to.eql([0, 0, EVERY_MS])
  })

  it('asks for a keyframe when the last one was long ago, and skips what was before it', () => {
    const kept = samplePictures(TRACK, 250, { groupSize: 10_000 })
    const rig = new PlayoutRig({ tracks: [TRACK], kept })
    rig.playout.start()
    expect(rig.requests).to.eql([TRACK])
    rig.clock.advance(100)
    const sentBefore = rig.viewer.frames.length
    const next = samplePictures(TRACK, 30, { fromMs: 250 * EVERY_MS })
    for (const unit of next) {
      rig.playout.unit(unit)
      rig.clock.advance(EVERY_MS)
    }
    expect(rig.viewer.frames.length).to.be.within(sentBefore + 30, sentBefore + 40)
    expect(rig.viewer.frames.at(-30)!.keyframe).to.equal(true)
  })

  it('asks for a keyframe when nothing is kept', () => {
    const rig = new PlayoutRig({ tracks: [TRACK] })
    rig.playout.start()
    expect(rig.requests).to.eql([TRACK])
    rig.play(samplePictures(TRACK, 30).slice(5))
    expect(rig.viewer.frames.length, 'from the next keyframe on').to.equal(5)
  })

  it('sends a heavy group of pictures no faster than networks take it, and nothing after its end', () => {
    const kept = Array.from({ length: 50 }, (_, number) =>
      samplePicture({
        track: TRACK,
        kind: number === 0 ? 'key' : 'reference',
        number,
        dtsMs: number * EVERY_MS,
        sizeBytes: 100_000,
      }),
    )
    const rig = new PlayoutRig({ tracks: [TRACK], kept })
    rig.playout.start()
    rig.clock.advance(500)
    const sentBytes = rig.viewer.packets.reduce((sum, { payload }) => sum + payload.length, 0)
    expect(sentBytes).to.be.within(2_000_000, 3_000_000)
    rig.playout.close()
    const sent = rig.viewer.packets.length
    rig.clock.advance(1000)
    expect(rig.viewer.packets.length).to.equal(sent)
    expect(rig.clock.pending).to.equal(0)
  })
})
