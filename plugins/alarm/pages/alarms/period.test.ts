import { expect } from 'chai'
import { rangeOf, recent } from './period.ts'

describe('the period of the list of events', () => {
  it('is asked for in Unix milliseconds, and may be open', () => {
    expect(rangeOf({ kind: 'all' })).to.eql({})
    expect(rangeOf(recent('hour', 10_000_000_000_000))).to.eql({ start: '9999996400000' })
    const start = new Date(2026, 0, 31, 8, 0).getTime()
    expect(rangeOf({ kind: 'between', start: '2026-01-31T08:00', end: '' })).to.eql({ start: String(start) })
    expect(rangeOf({ kind: 'between', start: '', end: '2026-01-31T08:00' })).to.eql({ end: String(start) })
  })
})
