import { expect } from 'chai'
import {
  clockText,
  dayAfter,
  dayOf,
  dayRange,
  hoursOf,
  playableFrom,
  recordedOf,
  segmentsOf,
  timeInDay,
} from './recorded-day.ts'

const HOUR_MS = 3_600_000

describe('a day of recordings', () => {
  const range = dayRange('2026-01-31')!
  const at = (hour: number) => range.startMs + hour * HOUR_MS
  const record = (from: number, to: number, type = 'time') => {
    return { startTime: new Date(at(from)).toISOString(), endTime: new Date(at(to)).toISOString(), type, name: '' }
  }

  it('is from midnight to midnight by the clock of the user', () => {
    expect(new Date(range.startMs).getHours()).to.equal(0)
    expect(dayOf(new Date(range.endMs - 1))).to.equal('2026-01-31')
    expect(dayOf(new Date(range.endMs))).to.equal('2026-02-01')
    for (const text of ['', '2026-1-31', '2026-02-30', 'today']) expect(dayRange(text), text).to.equal(undefined)
  })

  it('has a day before and after, also across months', () => {
    expect([dayAfter('2026-03-01', -1), dayAfter('2026-12-31', 1)]).to.eql(['2026-02-28', '2027-01-01'])
  })

  it('has recordings in their order, without those that have no times', () => {
    const recorded = recordedOf([
      record(8, 9),
      record(1, 2, 'alarm'),
      { ...record(3, 4), endTime: 'never' },
      record(6, 6),
    ])
    expect(recorded.map(({ startMs, type }) => [startMs, type])).to.eql([
      [at(1), 'alarm'],
      [at(8), 'time'],
    ])
  })

  it('shows the parts of recordings that are within it', () => {
    const segments = segmentsOf(
      recordedOf([record(-1, 6), record(12, 18, 'alarm'), record(23, 30), record(30, 31)]),
      range,
    )
    expect(segments).to.eql([
      { left: 0, width: 0.25, type: 'time' },
      { left: 0.5, width: 0.25, type: 'alarm' },
      { left: 23 / 24, width: 1 / 24, type: 'time' },
    ])
  })

  it('plays from a time, or from the next recording, to the end of the last', () => {
    const recorded = recordedOf([record(1, 2), record(8, 9)])
    expect(playableFrom(recorded, at(1.5))).to.eql({ startMs: at(1.5), endMs: at(9) })
    expect(playableFrom(recorded, at(3))).to.eql({ startMs: at(8), endMs: at(9) })
    expect(playableFrom(recorded, at(10))).to.equal(undefined)
  })

  it('reads and writes times of its clock', () => {
    expect([timeInDay(range, '08:30'), timeInDay(range, '08:30:05')]).to.eql([at(8.5), at(8.5) + 5000])
    expect(timeInDay(range, 'soon')).to.equal(undefined)
    expect(clockText(at(8.5) + 5000)).to.equal('08:30:05')
    expect(hoursOf(range)[6]).to.eql({ hour: 6, left: 0.25 })
  })
})
