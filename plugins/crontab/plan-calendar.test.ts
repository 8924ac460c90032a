import { expect } from 'chai'
import fc from 'fast-check'
import { InvalidRequest } from 'sluice/sdk'
import { rounds } from '../../test/support/soak.ts'
import {
  HOURS_OF_WEEK,
  isOn,
  localHourOfWeek,
  nextSlot,
  parsePlan,
  slotAt,
  slotsOfWeek,
  type HourOfWeek,
  type Slot,
} from './plan-calendar.ts'

const HOUR_MS = 3_600_000
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** The calendar of a place, by what the language knows of time zones. */
function clocksOf(timeZone: string): HourOfWeek {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', hour: '2-digit', hourCycle: 'h23' })
  const known = new Map<number, number>()
  const read = (instantMs: number): number => {
    const parts = Object.fromEntries(format.formatToParts(instantMs).map(({ type, value }) => [type, value]))
    return DAYS.indexOf(parts['weekday'] ?? '') * 24 + Number(parts['hour'])
  }
  return (instantMs) => {
    const quarter = Math.floor(instantMs / (HOUR_MS / 4))
    const hour = known.get(quarter) ?? read(instantMs)
    known.set(quarter, hour)
    return hour
  }
}

const BERLIN = clocksOf('Europe/Berlin')
const NEW_YORK = clocksOf('America/New_York')
const LORD_HOWE = clocksOf('Australia/Lord_Howe')
const SANTIAGO = clocksOf('America/Santiago')

const at = (text: string) => Date.parse(text)
/** A plan of the hours of one day. */
const planOf = (day: number, ...hours: readonly number[]) => {
  return Array.from({ length: HOURS_OF_WEEK }, (_, hour) => Math.floor(hour / 24) === day && hours.includes(hour % 24))
}
const ALWAYS = parsePlan('1'.repeat(HOURS_OF_WEEK))
const told = ({ startMs, endMs, weekday, timeRange }: Slot) =>
  `${weekday} ${timeRange} ${new Date(startMs).toISOString().slice(0, 16)} ${(endMs - startMs) / HOUR_MS}h`

describe('a plan', () => {
  it('has an hour of the week at each character, from Sunday, 0:00', () => {
    const plan = parsePlan(`1${'0'.repeat(32)}1${'0'.repeat(134)}`)
    expect([...plan.keys()].filter((hour) => plan[hour])).to.eql([0, 33])
    // Monday, 9:00 to 10:00 in Berlin.
    expect(isOn(plan, at('2026-01-05T07:59:59.999Z'), BERLIN)).to.equal(false)
    expect(isOn(plan, at('2026-01-05T08:00:00Z'), BERLIN)).to.equal(true)
    expect(isOn(plan, at('2026-01-05T08:59:59.999Z'), BERLIN)).to.equal(true)
    expect(isOn(plan, at('2026-01-05T09:00:00Z'), BERLIN)).to.equal(false)
  })

  const wrong: readonly (readonly [text: string, says: string])[] = [
    ['', 'plan has 0 characters, and needs 168'],
    ['1'.repeat(167), 'plan has 167 characters, and needs 168'],
    ['0'.repeat(169), 'plan has 169 characters, and needs 168'],
    [`${'0'.repeat(100)}x${'0'.repeat(67)}`, 'plan has "x" at 100: it takes 0 and 1'],
    ['２', 'plan has "２" at 0'],
  ]
  for (const [text, says] of wrong) {
    it(`is none: ${says}`, () => expect(() => parsePlan(text)).to.throw(InvalidRequest, says))
  }

  it('is read or refused, whatever the text is', () => {
    const bits = fc.string({ unit: fc.constantFrom('0', '1', '1', '\n', '2'), minLength: 160, maxLength: 170 })
    fc.assert(
      fc.property(fc.oneof(fc.string(), bits), (text) => {
        if (/^[01]{168}$/u.test(text) && text.length === 168) {
          expect(
            parsePlan(text)
              .map((on) => (on ? '1' : '0'))
              .join(''),
          ).to.equal(text)
        } else expect(() => parsePlan(text)).to.throw(InvalidRequest)
      }),
    )
  })
})

describe('the slots of a plan', () => {
  it('are those of the week, a day each, by the clocks of the place', () => {
    const hours = planOf(2, 9, 10, 23).map((on, hour) => on || hour === 3 * 24)
    expect(slotsOfWeek(hours, at('2026-01-10T22:59:59Z'), BERLIN).map(told)).to.eql([
      'Tuesday 09:00-11:00 2026-01-06T08:00 2h',
      'Tuesday 23:00-24:00 2026-01-06T22:00 1h',
      'Wednesday 00:00-01:00 2026-01-06T23:00 1h',
    ])
    const always = slotsOfWeek(ALWAYS, at('2026-01-04T00:00:00Z'), NEW_YORK).map(told)
    expect(always).to.have.length(7)
    expect([always[0], always[6]]).to.eql([
      'Sunday 00:00-24:00 2025-12-28T05:00 24h',
      'Saturday 00:00-24:00 2026-01-03T05:00 24h',
    ])
    expect(slotsOfWeek(planOf(9), at('2026-01-04T00:00:00Z'), NEW_YORK)).to.eql([])
  })

  const changes: readonly (readonly [
    what: string,
    clocks: HourOfWeek,
    now: string,
    hours: readonly number[],
    expected: readonly string[],
  ])[] = [
    ['have no hour that Berlin skips', BERLIN, '2026-03-29T12:00:00Z', [2], []],
    ['go on over it', BERLIN, '2026-03-29T12:00:00Z', [1, 2, 3], ['Sunday 01:00-04:00 2026-03-29T00:00 2h']],
    [
      'have an hour twice that comes twice',
      BERLIN,
      '2026-10-25T12:00:00Z',
      [2],
      ['Sunday 02:00-03:00 2026-10-25T00:00 2h'],
    ],
    ['have no hour that New York skips', NEW_YORK, '2026-03-08T12:00:00Z', [2], []],
    [
      'and twice what comes twice there',
      NEW_YORK,
      '2026-11-01T12:00:00Z',
      [1],
      ['Sunday 01:00-02:00 2026-11-01T05:00 2h'],
    ],
    [
      'have half an hour where half a one is skipped',
      LORD_HOWE,
      '2026-10-03T20:00:00Z',
      [2],
      ['Sunday 02:00-03:00 2026-10-03T15:30 0.5h'],
    ],
    [
      'begin a day later where midnight is skipped',
      SANTIAGO,
      '2026-09-06T12:00:00Z',
      [0, 1],
      ['Sunday 01:00-02:00 2026-09-06T04:00 1h'],
    ],
  ]
  for (const [what, clocks, now, hours, expected] of changes) {
    it(`${what}: ${now}`, () => {
      expect(slotsOfWeek(planOf(0, ...hours), at(now), clocks).map(told)).to.eql(expected)
    })
  }

  it('are found for now and for later, in the week after, too', () => {
    const plan = planOf(0, 2)
    const told = (slot: Slot | undefined) => slot && new Date(slot.startMs).toISOString()
    expect(told(slotAt(slotsOfWeek(plan, at('2026-10-25T01:59:59Z'), BERLIN), at('2026-10-25T01:59:59Z')))).to.equal(
      '2026-10-25T00:00:00.000Z',
    )
    expect(told(slotAt(slotsOfWeek(plan, at('2026-10-25T02:00:00Z'), BERLIN), at('2026-10-25T02:00:00Z')))).to.equal(
      undefined,
    )
    expect(told(nextSlot(plan, at('2026-10-24T23:59:59Z'), BERLIN))).to.equal('2026-10-25T00:00:00.000Z')
    expect(told(nextSlot(plan, at('2026-10-25T00:00:00Z'), BERLIN))).to.equal('2026-11-01T01:00:00.000Z')
    // The one in between is skipped.
    expect(told(nextSlot(plan, at('2026-03-22T01:30:00Z'), BERLIN))).to.equal('2026-04-05T00:00:00.000Z')
    expect(nextSlot(planOf(9), at('2026-03-22T01:30:00Z'), BERLIN)).to.equal(undefined)
  })

  it('hold together with what is on, in any week of any plan', () => {
    const plans = fc.array(fc.boolean(), { minLength: HOURS_OF_WEEK, maxLength: HOURS_OF_WEEK })
    const instants = fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') })
    const places = fc.constantFrom(BERLIN, NEW_YORK, LORD_HOWE, SANTIAGO)
    fc.assert(
      fc.property(plans, instants, places, (plan, nowMs, clocks) => {
        const slots = slotsOfWeek(plan, nowMs, clocks)
        for (const [index, { startMs, endMs, weekday }] of slots.entries()) {
          expect(startMs)
            .to.be.below(endMs)
            .and.at.least(slots[index - 1]?.endMs ?? 0)
          const days = [startMs, endMs - 1].map((ms) => DAYS[Math.floor(clocks(ms) / 24)])
          expect(days).to.eql([weekday.slice(0, 3), weekday.slice(0, 3)])
        }
        expect(slotAt(slots, nowMs) !== undefined).to.equal(isOn(plan, nowMs, clocks))
        const next = nextSlot(plan, nowMs, clocks)
        if (next === undefined) return
        expect(next.startMs).to.be.above(nowMs)
        expect(isOn(plan, next.startMs, clocks) && isOn(plan, next.endMs - 1, clocks)).to.equal(true)
      }),
      { numRuns: rounds(60) },
    )
  })
})

describe('the calendar of the machine', () => {
  const zone = process.env['TZ']
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  for (const [timeZone, clocks] of [
    ['Europe/Berlin', BERLIN],
    ['America/New_York', NEW_YORK],
  ] as const) {
    it(`is that of ${timeZone} there, over both changes of clocks`, () => {
      process.env['TZ'] = timeZone
      for (const day of ['2026-03-08', '2026-03-29', '2026-10-25', '2026-11-01', '2026-07-01']) {
        for (let hour = -12; hour < 36; hour += 0.25) {
          const ms = at(`${day}T00:00:00Z`) + hour * HOUR_MS
          expect(localHourOfWeek(ms), new Date(ms).toISOString()).to.equal(clocks(ms))
        }
      }
    })
  }
})
