import { expect } from 'chai'
import { ManualClock } from './manual-clock.ts'

describe('ManualClock', () => {
  it('stands still until it is moved', () => {
    const clock = new ManualClock(100)
    expect(clock.now()).to.equal(100)
    clock.advance(50)
    expect(clock.now()).to.equal(150)
  })

  it('runs timers when they fall due, in order, at their own time', () => {
    const clock = new ManualClock()
    const ran: string[] = []
    clock.setTimeout(() => ran.push(`late ${clock.now()}`), 20)
    clock.setTimeout(() => ran.push(`early ${clock.now()}`), 10)
    clock.setInterval(() => ran.push(`every ${clock.now()}`), 15)
    clock.advance(9)
    expect(ran).to.eql([])
    clock.advance(21)
    expect(ran).to.eql(['early 10', 'every 15', 'late 20', 'every 30'])
    expect(clock.pending).to.equal(1)
  })

  it('runs a timer set by a timer when it is due within the same step', () => {
    const clock = new ManualClock()
    let ranAt: number | undefined
    clock.setTimeout(() => clock.setTimeout(() => (ranAt = clock.now()), 5), 5)
    clock.advance(10)
    expect(ranAt).to.equal(10)
  })

  it('forgets cleared timers, also from within', () => {
    const clock = new ManualClock()
    let ran = 0
    const interval = clock.setInterval(() => {
      ran++
      clock.clear(interval)
    }, 1)
    clock.clear(clock.setTimeout(() => ran++, 1))
    clock.advance(10)
    expect({ ran, pending: clock.pending }).to.eql({ ran: 1, pending: 0 })
  })
})
