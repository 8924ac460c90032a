import { expect } from 'chai'
import { backoffMs, MAX_BACKOFF_MS } from './backoff.ts'

describe('backoffMs', () => {
  const waits = (intervalMs: number, count: number) =>
    Array.from({ length: count }, (_, index) => backoffMs(index + 1, intervalMs, 0.5))

  it('begins with the interval, and doubles up to a minute', () => {
    expect(waits(5000, 6)).to.eql([5000, 10_000, 20_000, 40_000, MAX_BACKOFF_MS, MAX_BACKOFF_MS])
  })

  it('leaves intervals alone that are longer, and never asks without a pause', () => {
    expect(waits(600_000, 3)).to.eql([600_000, 600_000, 600_000])
    expect(backoffMs(1, 0, 0)).to.be.greaterThan(10)
  })

  it('stays what it is after any number of failures', () => {
    expect(backoffMs(100_000, 5000, 0.5)).to.equal(MAX_BACKOFF_MS)
  })

  it('waits up to another longest time where one is given', () => {
    expect(backoffMs(20, 5000, 0.5, 300_000)).to.equal(300_000)
  })

  it('spreads by a fifth to either side', () => {
    expect(backoffMs(1, 5000, 0)).to.be.closeTo(4000, 1)
    expect(backoffMs(1, 5000, 1)).to.be.closeTo(6000, 1)
  })
})
