import { expect } from 'chai'
import { clockOf, dateOf, dayAfter, dayRange, monthAfter, monthOf, monthRange, timeOnDay, weeksOf } from './calendar.ts'

describe('the calendar of recordings', () => {
  it('has the weeks of a month from Monday on', () => {
    const weeks = weeksOf({ year: 2026, month: 10 })
    expect(weeks.map((week) => week.map((date) => date?.slice(-2) ?? '').join(' '))).to.eql([
      '      01',
      '02 03 04 05 06 07 08',
      '09 10 11 12 13 14 15',
      '16 17 18 19 20 21 22',
      '23 24 25 26 27 28 29',
      '30      ',
    ])
  })

  it('goes on over months and years', () => {
    expect(dayAfter('2026-12-31', 1)).to.equal('2027-01-01')
    expect(dayAfter('2028-03-01', -1)).to.equal('2028-02-29')
    expect(monthAfter({ year: 2026, month: 0 }, -1)).to.eql({ year: 2025, month: 11 })
    expect(monthOf('2026-02-03')).to.eql({ year: 2026, month: 1 })
  })

  it('has days from midnight to midnight, one after another', () => {
    const { fromMs, toMs } = dayRange('2026-11-28')
    expect(dateOf(fromMs)).to.equal('2026-11-28')
    expect(dateOf(fromMs - 1)).to.equal('2026-11-27')
    expect(dayRange('2026-11-29').fromMs).to.equal(toMs)
    expect(monthRange({ year: 2026, month: 10 }).toMs).to.equal(dayRange('2026-12-01').fromMs)
  })

  it('reads the times of clocks, and writes them', () => {
    const ms = timeOnDay('2026-11-28', '08:05:09') ?? 0
    expect(dateOf(ms)).to.equal('2026-11-28')
    expect([clockOf(ms), clockOf(ms, false)]).to.eql(['08:05:09', '08:05'])
    expect(timeOnDay('2026-11-28', '08:05')).to.equal(ms - 9000)
    for (const text of ['', '8', 'noon', '08:5']) expect(timeOnDay('2026-11-28', text), text).to.equal(undefined)
  })
})
