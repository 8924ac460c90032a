import { expect } from 'chai'
import { PlaybackClock } from './playback-clock.ts'

describe('PlaybackClock', () => {
  it('begins with the first time, and tells how long others are to wait', () => {
    const clock = new PlaybackClock()
    expect(clock.positionMs(50)).to.equal(undefined)
    expect(clock.waitMs(9000, 50)).to.equal(0)
    expect(clock.waitMs(9040, 60)).to.equal(30)
    expect(clock.waitMs(9040, 95)).to.equal(-5)
    expect(clock.positionMs(100)).to.equal(9050)
  })

  it('runs at another speed from where it is', () => {
    const clock = new PlaybackClock(2)
    clock.waitMs(0, 0)
    expect(clock.waitMs(1000, 0)).to.equal(500)
    clock.setSpeed(0.5, 400)
    expect(clock.positionMs(400)).to.equal(800)
    expect(clock.waitMs(1000, 400)).to.equal(400)
  })

  it('puts off what comes too late, so that there is no burst', () => {
    const clock = new PlaybackClock()
    clock.waitMs(0, 0)
    expect(clock.waitMs(40, 5000)).to.be.lessThan(0)
    expect(clock.waitMs(80, 5000)).to.equal(40)
  })

  it('has everything due at once at speed 0', () => {
    const clock = new PlaybackClock(0)
    expect(clock.waitMs(1e9, 0)).to.equal(0)
    expect(clock.positionMs(0)).to.equal(Infinity)
    clock.setSpeed(1, 10)
    expect(clock.waitMs(500, 10)).to.equal(0)
    expect(clock.waitMs(600, 10)).to.equal(100)
  })

  it('begins anew after a reset', () => {
    const clock = new PlaybackClock()
    clock.waitMs(5000, 0)
    clock.reset()
    expect(clock.waitMs(100, 70)).to.equal(0)
    expect(clock.waitMs(140, 70)).to.equal(40)
  })
})
