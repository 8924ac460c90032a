import { expect } from 'chai'
import { daysOf, type Span } from './calendar-days.ts'

const at = (text: string) => Date.parse(text)
const span = (start: string, end: string, count = 1): Span => ({
  startMs: at(start),
  endMs: at(end),
  count,
  sizeBytes: 10 * count,
})
const NOVEMBER = { startMs: at('2026-11-01T00:00:00Z'), endMs: at('2026-11-30T23:59:59Z'), timeZone: 'UTC' }

describe('the days of recordings', () => {
  it('have the files that begin on them', () => {
    const spans = [
      span('2026-11-03T10:00:00Z', '2026-11-03T10:10:00Z', 2),
      span('2026-11-03T12:00:00Z', '2026-11-03T12:01:00Z'),
      span('2026-11-05T00:00:00Z', '2026-11-05T00:01:00Z'),
    ]
    expect(daysOf(spans, NOVEMBER)).to.eql([
      { date: '2026-11-03', count: 3, sizeBytes: 30 },
      { date: '2026-11-05', count: 1, sizeBytes: 10 },
    ])
  })

  it('are all days over which a file goes, within the time that is asked for', () => {
    const long = span('2026-10-30T12:00:00Z', '2026-11-03T01:00:00Z')
    expect(daysOf([long], NOVEMBER)).to.eql([
      { date: '2026-11-01', count: 0, sizeBytes: 0 },
      { date: '2026-11-02', count: 0, sizeBytes: 0 },
      { date: '2026-11-03', count: 0, sizeBytes: 0 },
    ])
    const late = span('2026-11-29T23:00:00Z', '2026-12-02T01:00:00Z')
    expect(daysOf([late], NOVEMBER).map(({ date }) => date)).to.eql(['2026-11-29', '2026-11-30'])
  })

  it('begin by the clocks of the time zone, also where these are changed', () => {
    const spans = [span('2026-11-03T16:30:00Z', '2026-11-03T16:40:00Z')]
    expect(daysOf(spans, { ...NOVEMBER, timeZone: 'Asia/Shanghai' })[0]?.date).to.equal('2026-11-04')
    const dst = { startMs: at('2026-10-01T00:00:00Z'), endMs: at('2026-11-01T00:00:00Z'), timeZone: 'Europe/Berlin' }
    const days = daysOf([span('2026-10-24T22:00:00Z', '2026-10-26T23:00:00Z')], dst)
    expect(days.map(({ date }) => date)).to.eql(['2026-10-25', '2026-10-26', '2026-10-27'])
  })
})
