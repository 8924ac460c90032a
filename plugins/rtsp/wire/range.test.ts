import { expect } from 'chai'
import fc from 'fast-check'
import { MalformedError } from 'sluice/sdk/media'
import { rounds } from '../../../test/support/soak.ts'
import { parseRange, serializeRange, type Range } from './range.ts'

const open = (startMs: number | 'now'): Range => ({ unit: 'npt', startMs, endMs: undefined })

/** The text is what is written; what else means the same stands below it. */
const cases: { text: string; same?: string[]; range: Range }[] = [
  { text: 'npt=0.000-', same: ['npt=0-', 'NPT = 0. - ', 'npt=0:00:00-;time=19970123T153600Z'], range: open(0) },
  { text: 'npt=now-', same: ['npt=Now-'], range: open('now') },
  { text: 'npt=2.637-', same: ['npt=2.637250-'], range: open(2637) },
  { text: 'npt=7.050-10.000', same: ['npt=7.05-10'], range: { unit: 'npt', startMs: 7050, endMs: 10_000 } },
  { text: 'npt=-20.000', range: { unit: 'npt', startMs: undefined, endMs: 20_000 } },
  { text: 'npt=0.000-now', range: { unit: 'npt', startMs: 0, endMs: 'now' } },
  {
    text: 'npt=444735.300-',
    same: ['npt=123:32:15.3-', 'npt=123:32:15.30-'],
    range: open(((123 * 60 + 32) * 60 + 15) * 1000 + 300),
  },
  {
    text: 'clock=20260101T000000.250Z-',
    same: ['clock=20260101T000000.25Z-', 'CLOCK=20260101t000000.2500z-;x'],
    range: { unit: 'clock', startMs: Date.UTC(2026, 0, 1, 0, 0, 0, 250), endMs: undefined },
  },
  {
    text: 'clock=19961108T142300Z-19961108T143520Z',
    range: { unit: 'clock', startMs: Date.UTC(1996, 10, 8, 14, 23), endMs: Date.UTC(1996, 10, 8, 14, 35, 20) },
  },
]

const malformed = [
  '',
  'npt',
  '=0-',
  'npt=',
  'npt=-',
  'npt=0',
  'npt=1e3-',
  'npt=-1-',
  'npt=0:60:00-',
  'npt=0--1',
  'clock=-',
  'clock=-20260101T000000Z',
  'clock=20260101T000000Z',
  'clock=20260101T000000-',
  'clock=20260230T000000Z-',
  'clock=20261301T000000Z-',
  'clock=20260101T240000Z-',
]

describe('parseRange', () => {
  for (const { text, same = [], range } of cases) {
    it(`takes ${text}`, () => {
      for (const each of [text, ...same]) expect(parseRange(each), each).to.deep.equal(range)
    })
  }

  for (const text of malformed) {
    it(`refuses '${text}'`, () => {
      expect(() => parseRange(text)).to.throw(MalformedError)
    })
  }

  it('tells units that it does not know', () => {
    expect(parseRange('smpte=10:07:33-')).to.equal(null)
    expect(parseRange('smpte-30-drop=10:07:33:05.01-')).to.equal(null)
    expect(parseRange('bytes=0-')).to.equal(null)
  })

  it('parses or refuses any text', () => {
    const piece = fc.constantFrom('npt', 'clock', '=', '-', 'now', '0', ':', '.', '59', '20260101T000000Z', ';', ' ')
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(text, (text) => {
        try {
          const range = parseRange(text)
          if (range !== null) expect(parseRange(serializeRange(range))).to.deep.equal(range)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
      }),
      { numRuns: rounds(2000) },
    )
  })
})

describe('serializeRange', () => {
  for (const { text, range } of cases) {
    it(`writes ${text}`, () => {
      expect(serializeRange(range)).to.equal(text)
    })
  }

  it('writes what is parsed again, to the millisecond', () => {
    const npt = fc.nat(1e12).map((startMs): Range => ({ unit: 'npt', startMs, endMs: startMs + 1 }))
    const clock = fc.nat(4e12).map((startMs): Range => ({ unit: 'clock', startMs, endMs: startMs + 1 }))
    fc.assert(
      fc.property(fc.oneof(npt, clock), (range) => {
        expect(parseRange(serializeRange(range))).to.deep.equal(range)
      }),
    )
  })
})
