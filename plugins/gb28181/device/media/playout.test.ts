import { expect } from 'chai'
import { makeTestClip, PICTURE_MS } from '../fixtures/made-clip.ts'
import { programStreamSize } from './file-size.ts'
import { Playout, type PlayedUnit, type PlayoutInit } from './playout.ts'
import { ProgramStream } from './program-stream.ts'
import { Quirks } from '../quirks.ts'

const TICKS_PER_MS = 90
const PICTURES = 10

/** The times of pictures in milliseconds, with a `k` for keyframes. */
function shown(units: readonly PlayedUnit[]): string[] {
  return units
    .filter(({ unit }) => unit.track.kind === 'video')
    .map(({ unit, ptsTicks }) => `${ptsTicks / TICKS_PER_MS}${unit.keyframe ? 'k' : ''}`)
}

describe('the playout of a clip', () => {
  const clip = makeTestClip({ pictures: PICTURES })
  const playoutOf = (init: Partial<PlayoutInit> = {}) => new Playout({ clip, nowMs: 5000, ...init })

  it('has the clip from its first keyframe on, of the time of its pictures', () => {
    expect(clip.durationTicks).to.equal(PICTURES * PICTURE_MS * TICKS_PER_MS)
    expect(clip.units[0]).to.include({ ticks: 0, isStart: true })
    expect(clip.units.map(({ ticks }) => ticks)).to.eql(clip.units.map(({ ticks }) => ticks).toSorted((a, b) => a - b))
  })

  it('gives units out when they are due, and begins anew with times that go on', () => {
    const playout = playoutOf()
    expect(shown(playout.take(5000))).to.eql(['0k'])
    expect(shown(playout.take(5039))).to.eql([])
    expect(shown(playout.take(5080))).to.eql(['40', '80'])
    expect(shown(playout.take(5500)).slice(-5)).to.eql(['320', '360', '400k', '440', '480'])
    const sound = playout.take(5800).filter(({ unit }) => unit.track.kind === 'audio')
    const steps = sound.slice(1).map(({ unit }, index) => unit.pts - sound[index]!.unit.pts)
    expect(new Set(steps)).to.eql(new Set([320]))
  })

  it('stands still while it is paused', () => {
    const playout = playoutOf()
    playout.take(5100)
    playout.pause(5100)
    expect([playout.take(9000), playout.hasEnded(9000), playout.positionMs(9000)]).to.eql([[], false, 100])
    playout.resume(9000)
    expect(shown(playout.take(9060))).to.eql(['120', '160'])
  })

  it('goes on at the keyframe before a time', () => {
    const playout = playoutOf()
    playout.seek(5010, 100_390)
    expect(playout.positionMs(5010)).to.equal(100_200)
    expect(shown(playout.take(5050))).to.eql(['100200k', '100240'])
    playout.seek(5060, 0)
    expect(shown(playout.take(5060))).to.eql(['0k'])
  })

  for (const scale of [0.25, 0.5, 2, 4, 16]) {
    it(`is ${scale} times as fast when it is told to`, () => {
      const playout = playoutOf()
      playout.take(5200)
      playout.setScale(5200, scale)
      expect(playout.positionMs(5300)).to.equal(200 + 100 * scale)
      const units = shown(playout.take(5300))
      expect(units).to.have.length(Math.floor((200 + 100 * scale) / PICTURE_MS) - 5)
    })
  }

  it('gives out keyframes alone backwards, down to the beginning', () => {
    const playout = playoutOf()
    playout.seek(5000, 1000)
    playout.take(5100)
    playout.setScale(5100, -2)
    expect(shown(playout.take(5400))).to.eql(['1000k', '800k', '600k'])
    expect(playout.hasEnded(5400)).to.equal(false)
    expect(shown(playout.take(5800))).to.eql(['400k', '200k', '0k'])
    expect(playout.hasEnded(5800)).to.equal(true)
  })

  it('ends at its end, when the time of the last unit is over', () => {
    const playout = playoutOf({ endTicks: 100 * TICKS_PER_MS })
    expect(shown(playout.take(5099))).to.eql(['0k', '40', '80'])
    expect(playout.hasEnded(5099)).to.equal(false)
    expect(shown(playout.take(6000))).to.eql([])
    expect(playout.hasEnded(5100)).to.equal(true)
    playout.seek(6000, 0)
    expect(playout.hasEnded(6000)).to.equal(false)
  })

  it('goes on with the next keyframe without a gap in its times', () => {
    const playout = playoutOf()
    expect(shown(playout.take(5040))).to.eql(['0k', '40'])
    playout.toKeyframe()
    expect(shown(playout.take(5160))).to.eql(['80k', '120', '160'])
  })

  it('is as large as its program stream', () => {
    for (const durationMs of [40, 390, 1000, 1234]) {
      const stream = new ProgramStream(clip.tracks, new Quirks())
      const playout = new Playout({ clip, nowMs: 0, endTicks: durationMs * TICKS_PER_MS })
      const sizes = playout.take(durationMs).map(({ unit }) => stream.pack(unit).length)
      expect(programStreamSize(clip, durationMs), `${durationMs} ms`).to.equal(
        sizes.reduce((sum, size) => sum + size, 0),
      )
    }
  })
})
