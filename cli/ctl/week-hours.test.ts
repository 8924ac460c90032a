import { expect } from 'chai'
import fc from 'fast-check'
import { UsageError } from '../command-error.ts'
import { parseWeekHours, weekHoursText } from './week-hours.ts'

const day = (from: number, to: number) => '0'.repeat(from) + '1'.repeat(to - from) + '0'.repeat(24 - to)
const OFF = day(0, 0)

describe('hours of the week', () => {
  const cases = [
    { text: 'mon-fri 8-18', plan: OFF + day(8, 18).repeat(5) + OFF },
    { text: 'sat, sun 10-14', plan: day(10, 14) + OFF.repeat(5) + day(0, 24) },
    { text: 'tue 0-6, tue 22-24', plan: OFF + OFF + '1'.repeat(6) + '0'.repeat(16) + '11' + OFF.repeat(4) },
    { text: 'always', plan: '1'.repeat(168) },
    { text: 'never', plan: '0'.repeat(168) },
  ]
  for (const { text, plan } of cases) {
    it(`are read and written as "${text}"`, () => {
      expect(parseWeekHours(text)).to.equal(plan)
      expect(weekHoursText(plan)).to.equal(text)
    })
  }

  const spellings = [
    { text: ' Monday-Friday  08:00-18:00 ', same: 'mon-fri 8-18' },
    { text: '8-18', same: 'mon-sun 8-18' },
    { text: 'fri 22-6', same: 'fri 22-24, sat 0-6' },
    { text: 'sun 22-6', same: 'mon 0-6, sun 22-24' },
    { text: 'fri-mon', same: 'fri, sat, sun, mon' },
    { text: '0-0', same: 'always' },
    { text: '01'.repeat(84), same: '01'.repeat(84) },
  ]
  for (const { text, same } of spellings) {
    it(`may be written "${text.slice(0, 30)}"`, () => expect(parseWeekHours(text)).to.equal(parseWeekHours(same)))
  }

  it('are read as they were written, whichever they are', () => {
    const bits = fc.array(fc.constantFrom('0', '1'), { minLength: 168, maxLength: 168 })
    const isSame = (plan: string) => parseWeekHours(weekHoursText(plan)) === plan
    fc.assert(fc.property(bits, (plan) => isSame(plan.join(''))))
  })

  for (const text of [
    '',
    'mon 8',
    'mon-tue-wed',
    '8-25',
    '24-2',
    'mon fri',
    '8-18 mon',
    'x 1-2',
    'mon 1-2 3',
    'mon,,',
  ]) {
    it(`are not "${text}"`, () => expect(() => parseWeekHours(text)).to.throw(UsageError, 'mon-fri 8-18'))
  }

  it('of a newer server are shown as they are', () => expect(weekHoursText('FREQ=DAILY')).to.equal('FREQ=DAILY'))
})
