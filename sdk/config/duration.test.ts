import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../test/support/soak.ts'
import { parseDuration } from './duration.ts'

const VALID: [text: string, durationMs: number][] = [
  ['0', 0],
  ['0s', 0],
  ['10', 10_000],
  ['100ms', 100],
  ['10s', 10_000],
  ['4m', 240_000],
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['1h2m3s4ms', 3_723_004],
  ['1.5s', 1500],
  ['0.25h', 900_000],
  ['2147483647ms', 2_147_483_647],
]
const INVALID = [
  ['', 'empty'],
  ['s', 'no number'],
  ['-1s', 'negative'],
  ['1.5', 'a fraction without unit'],
  ['10 s', 'a space'],
  ['30m1h', 'units upside down'],
  ['1s1s', 'a unit twice'],
  ['10S', 'a unit in upper case'],
  ['1d', 'a unit there is not'],
  ['1e3s', 'an exponent'],
  ['auto', 'a word'],
  ['2147483648ms', 'longer than a timer can wait'],
  ['600h', 'longer than a timer can wait, in hours'],
  ['9999999999', 'longer than a timer can wait, in bare seconds'],
]

describe('durations', () => {
  for (const [text, durationMs] of VALID) {
    it(`reads ${text}`, () => {
      expect(parseDuration(text)).to.equal(durationMs)
    })
  }

  for (const [text, why] of INVALID) {
    it(`refuses '${text}': ${why}`, () => {
      expect(parseDuration(text ?? '')).to.equal(undefined)
    })
  }

  it('adds up hours, minutes, seconds and milliseconds', () => {
    const small = fc.integer({ min: 0, max: 99 })
    fc.assert(
      fc.property(small, small, small, small, (h, m, s, ms) => {
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`)).to.equal(((h * 60 + m) * 60 + s) * 1000 + ms)
      }),
    )
  })

  it('gives a number that a timer can take, or nothing, for any text', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9.hms]{0,30}$/))
    fc.assert(
      fc.property(text, (text) => {
        const durationMs = parseDuration(text)
        if (durationMs === undefined) return
        expect(Number.isSafeInteger(durationMs)).to.equal(true)
        expect(durationMs).to.be.within(0, 2 ** 31 - 1)
      }),
      { numRuns: rounds(1000) },
    )
  })
})
