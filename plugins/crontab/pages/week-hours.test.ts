import { expect } from 'chai'
import fc from 'fast-check'
import {
  copied,
  countOf,
  dayGroups,
  hoursText,
  indexOf,
  painted,
  presetHours,
  readHours,
  toggled,
  type WeekHours,
} from './week-hours.ts'

const NONE = presetHours('none')
const [SUNDAY, MONDAY, TUESDAY, SATURDAY] = [0, 1, 2, 6]
const isOn = (hours: WeekHours, day: number, hour: number) => hours[indexOf({ day, hour })]

describe('the hours of a plan', () => {
  it('are read and written as the server has them: Sunday first', () => {
    const text = '1'.padEnd(168, '0')
    expect(isOn(readHours(text), SUNDAY, 0)).to.equal(true)
    fc.assert(
      fc.property(fc.array(fc.constantFrom('0', '1'), { minLength: 168, maxLength: 168 }), (characters) => {
        expect(hoursText(readHours(characters.join('')))).to.equal(characters.join(''))
      }),
    )
  })

  it('are painted as a rectangle, in which Sunday comes after Saturday', () => {
    const weekend = painted(NONE, { day: SUNDAY, hour: 10 }, { day: SATURDAY, hour: 8 }, true)
    expect(countOf(weekend)).to.equal(6)
    for (const day of [SATURDAY, SUNDAY]) expect([8, 9, 10].every((hour) => isOn(weekend, day, hour))).to.equal(true)
    expect(painted(weekend, { day: SATURDAY, hour: 0 }, { day: SUNDAY, hour: 23 }, false)).to.eql(NONE)
  })

  it('are turned on by row and column, and off where all are on', () => {
    const isMonday = ({ day }: { readonly day: number }) => day === MONDAY
    const some = painted(NONE, { day: MONDAY, hour: 3 }, { day: MONDAY, hour: 3 }, true)
    const all = toggled(some, isMonday)
    expect(countOf(all)).to.equal(24)
    expect(toggled(all, isMonday)).to.eql(NONE)
    expect(countOf(toggled(NONE, ({ hour }) => hour === 7))).to.equal(7)
  })

  it('are copied from day to day', () => {
    const monday = painted(NONE, { day: MONDAY, hour: 8 }, { day: MONDAY, hour: 11 }, true)
    const both = copied(monday, MONDAY, [TUESDAY])
    expect(countOf(both)).to.equal(8)
    expect(isOn(both, TUESDAY, 8)).to.equal(true)
    expect(copied(both, SUNDAY, [MONDAY, TUESDAY])).to.eql(NONE)
  })

  it('are told by days that have the same', () => {
    expect(dayGroups(presetHours('working'))).to.eql([
      { days: [1, 2, 3, 4, 5], slots: [{ from: 8, to: 18 }] },
      { days: [6, 0], slots: [] },
    ])
    expect(dayGroups(presetHours('nights'))).to.eql([
      {
        days: [1, 2, 3, 4, 5, 6, 0],
        slots: [
          { from: 0, to: 6 },
          { from: 22, to: 24 },
        ],
      },
    ])
  })
})
