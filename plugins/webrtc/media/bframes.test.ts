import { expect } from 'chai'
import type { AccessUnit, VideoTrack } from 'sluice/sdk'
import { h264ConfigFromParameterSets } from 'sluice/sdk/media'
import { bframeProblem } from './bframes.ts'
import { PlayoutRig } from './fixtures/playout-rig.ts'
import { sampleAudioTrack, samplePicture, sampleVideoTrack } from './fixtures/sample-stream.ts'

const EVERY_MS = 40

/**
 * Pictures in decoding order: `I`, `P`, `B` that no other needs, and `R`, a B-frame that others need; the number is the
 * place in which it is shown.
 */
function pictures(track: VideoTrack, order: string): AccessUnit[] {
  return order.split(' ').map((name, index) => {
    const shown = Number(name.slice(1))
    const kind = name.startsWith('I') ? 'key' : name.startsWith('B') ? 'disposable' : 'reference'
    return samplePicture({ track, kind, number: shown, dtsMs: index * EVERY_MS, ptsMs: shown * EVERY_MS + 80 })
  })
}

function play(order: string, codec: 'h264' | 'h265', bframes: 'drop' | 'reject' = 'drop'): PlayoutRig {
  const track = sampleVideoTrack(codec)
  const rig = new PlayoutRig({ tracks: [track], bframes })
  rig.playout.start()
  rig.play(pictures(track, order))
  return rig
}

function shown(rig: PlayoutRig): number[] {
  return rig.viewer.frames.map(({ bytes }) => bytes.readUInt32BE(20) - 0x0101_0101)
}

describe('B-frames', () => {
  for (const codec of ['h264', 'h265'] as const) {
    it(`of ${codec} are left out where no other picture needs them, and a user is told once`, () => {
      const track = sampleVideoTrack(codec)
      const units = pictures(track, 'I0 P3 B1 B2 P6 B4 B5 I9 B7 B8 P10')
      for (const count of [1, 0]) {
        const rig = new PlayoutRig({ tracks: [track] })
        rig.playout.start()
        rig.play(units)
        expect(shown(rig)).to.eql([0, 3, 6, 9, 10])
        expect(rig.warnings).to.have.length(count)
        if (count === 1) expect(rig.warnings[0]).to.contain('they are left out').and.contain('-bf 0')
      }
    })
  }

  it('are not what viewers get who were moved to the stream at times of their own', () => {
    const track = sampleVideoTrack('h264')
    const moved = new PlayoutRig({ tracks: [track] })
    const direct = new PlayoutRig({ tracks: [track] })
    moved.playout.start()
    direct.playout.start()
    const units = pictures(
      track,
      Array.from({ length: 20 }, (_, place) => `${place === 0 ? 'I' : 'P'}${place}`).join(' '),
    )
    const aheadTicks = 4 * track.timescale
    moved.play(units.slice(0, 10).map((unit) => unit.at(track, unit.dts + aheadTicks, unit.pts + aheadTicks)))
    direct.play(units)
    expect(shown(moved)).to.eql(shown(direct).slice(0, 10))
    expect(shown(direct)).to.have.length(20)
    expect([...moved.warnings, ...direct.warnings]).to.eql([])
  })

  it('of h265 are sent where others need them, and a user is told why that plays badly', () => {
    const rig = play('I0 P4 R2 B1 B3 P8 R6 B5 B7', 'h265')
    expect(shown(rig)).to.eql([0, 4, 2, 8, 6])
    expect(rig.warnings.join()).to.contain('out of order').and.contain('-bf 0')
  })

  it('of h264 are left out where others need them, too, and a user is told what that does', () => {
    const rig = play('I0 P4 R2 B1 B3 P8 R6 B5 B7', 'h264')
    expect(shown(rig)).to.eql([0, 4, 8])
    expect(rig.warnings.join()).to.contain('may be spoilt').and.contain('-bf 0')
  })

  it('are refused when that is wanted, as soon as one is seen', () => {
    const rig = play('I0 P3 B1 B2 P6', 'h264', 'reject')
    expect(rig.closeReason).to.have.property('text').that.contains('B-frames')
    expect(shown(rig)).to.eql([0, 3])
  })

  it('are none in a stream in order, with pictures that no other needs', () => {
    const rig = play('I0 P1 B2 P3 B4 I5 B6', 'h264', 'reject')
    expect(shown(rig)).to.eql([0, 1, 2, 3, 4, 5, 6])
    expect(rig.warnings).to.eql([])
    expect(rig.closeReason).to.equal(undefined)
  })

  it('are none where the time of a stream begins anew', () => {
    const track = sampleVideoTrack('h264')
    const rig = new PlayoutRig({ tracks: [track] })
    rig.playout.start()
    const units = [3_600_000, 3_600_040, 1000, 1040].map((dtsMs, number) =>
      samplePicture({ track, kind: number === 0 ? 'key' : 'disposable', number, dtsMs }),
    )
    rig.play(units)
    expect(shown(rig)).to.eql([0, 1, 2, 3])
  })

  it('are known before there are pictures where the parameter sets say so', () => {
    // By x264: of 320x240 with three B-frames, and without any.
    const withBframes = h264ConfigFromParameterSets(
      Buffer.from('6764000dacd94141fb011000000300100000030320f1429960', 'hex'),
      Buffer.from('68ebe3cb22c0', 'hex'),
    )
    const track = { ...sampleVideoTrack('h264'), config: withBframes }
    expect(bframeProblem(track)).to.contain('-bf 0')
    const without = h264ConfigFromParameterSets(
      Buffer.from('67f4000d919640507ec044000003000400000300c83c50a920', 'hex'),
      Buffer.from('68ebc3c44844', 'hex'),
    )
    for (const other of [
      { ...track, config: without },
      { ...track, config: { ...withBframes, record: Buffer.from('0102', 'hex') } },
      sampleVideoTrack('h265'),
      sampleVideoTrack('vp8'),
      sampleAudioTrack('opus', 48_000),
    ]) {
      expect(bframeProblem(other)).to.equal(undefined)
    }
  })
})
