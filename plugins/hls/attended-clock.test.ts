import { expect } from 'chai'
import { AttendedClock } from './attended-clock.ts'

describe('the time a server attends to its clients', () => {
  it('goes on with the clock, but not while the process is held up', () => {
    const clock = new AttendedClock(5000)
    expect(clock.now()).to.equal(5000)
    expect(clock.tick(5500)).to.equal(5500)
    expect(clock.tick(6100)).to.equal(6100)
    expect(clock.tick(36_100)).to.equal(7100)
    expect(clock.tick(36_600)).to.equal(7600)
    expect(clock.now()).to.equal(7600)
  })
})
