import { expect } from 'chai'
import fc from 'fast-check'
import {
  moved,
  nextBeginning,
  nextRecorded,
  placeIn,
  previousBeginning,
  showing,
  spansOf,
  ticksOf,
  timeAt,
  zoomed,
} from './time-scale.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = { fromMs: 1_000_000, toMs: 1_000_000 + 24 * HOUR }
const file = (fromMs: number, toMs: number, isActive = false) => ({
  fromMs: DAY.fromMs + fromMs,
  toMs: DAY.fromMs + toMs,
  isActive,
})

describe('the scale of a time line', () => {
  it('keeps the time under the pointer at its place while it is zoomed, and stays within the day', () => {
    const view = fc
      .tuple(fc.nat(23 * HOUR), fc.integer({ min: 2 * MINUTE, max: HOUR }))
      .map(([from, length]) => ({ fromMs: DAY.fromMs + from, toMs: DAY.fromMs + from + length }))
    fc.assert(
      fc.property(
        view,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(0.5, 2),
        (before, place, factor) => {
          const aroundMs = timeAt(before, place)
          const after = zoomed(before, DAY, factor, aroundMs)
          expect(after.fromMs).to.be.at.least(DAY.fromMs)
          expect(after.toMs).to.be.at.most(DAY.toMs)
          expect(after.toMs - after.fromMs).to.be.at.least(2 * MINUTE)
          const isInside = after.fromMs > DAY.fromMs && after.toMs < DAY.toMs
          if (isInside) expect(placeIn(after, aroundMs)).to.be.closeTo(place, 1e-4)
        },
      ),
    )
  })

  it('shows the whole day at most', () => {
    expect(zoomed(DAY, DAY, 2, DAY.fromMs)).to.eql(DAY)
    const morning = { fromMs: DAY.fromMs, toMs: DAY.fromMs + 6 * HOUR }
    expect(moved(morning, DAY, -HOUR)).to.eql(morning)
    expect(moved(morning, DAY, 100 * HOUR)).to.eql({ fromMs: DAY.toMs - 6 * HOUR, toMs: DAY.toMs })
  })

  it('follows a time that has left the view', () => {
    const morning = { fromMs: DAY.fromMs, toMs: DAY.fromMs + 6 * HOUR }
    expect(showing(morning, DAY, DAY.fromMs + HOUR)).to.equal(morning)
    const later = showing(morning, DAY, DAY.fromMs + 12 * HOUR)
    expect(later).to.eql({ fromMs: DAY.fromMs + 9 * HOUR, toMs: DAY.fromMs + 15 * HOUR })
  })

  it('is marked at round times, no more than there is place for', () => {
    const hours = ticksOf(DAY, DAY, 8).map((ms) => (ms - DAY.fromMs) / HOUR)
    expect(hours).to.eql([0, 3, 6, 9, 12, 15, 18, 21, 24])
    const view = { fromMs: DAY.fromMs + 61_000, toMs: DAY.fromMs + 61_000 + 10 * MINUTE }
    expect(ticksOf(view, DAY, 5).map((ms) => (ms - DAY.fromMs) / MINUTE)).to.eql([2, 4, 6, 8, 10])
  })
})

describe('the recorded parts of a day', () => {
  it('are files without a gap between them, cut off at midnight', () => {
    const files = [
      file(-HOUR, HOUR),
      file(HOUR + 500, 2 * HOUR),
      file(3 * HOUR, 4 * HOUR),
      file(3.5 * HOUR, 3.6 * HOUR),
      file(22 * HOUR, 23 * HOUR),
      file(23 * HOUR, 25 * HOUR, true),
    ]
    expect(spansOf(files, DAY)).to.eql([
      file(0, 2 * HOUR),
      file(3 * HOUR, 4 * HOUR),
      file(22 * HOUR, 23 * HOUR),
      file(23 * HOUR, 24 * HOUR, true),
    ])
    expect(spansOf([file(-2 * HOUR, -HOUR)], DAY)).to.eql([])
  })

  it('are what is played from a time on: gaps are leapt over', () => {
    const spans = [file(HOUR, 2 * HOUR), file(3 * HOUR, 4 * HOUR)]
    const next = (ms: number) => nextRecorded(spans, DAY.fromMs + ms)
    expect(next(0)).to.equal(DAY.fromMs + HOUR)
    expect(next(1.5 * HOUR)).to.equal(DAY.fromMs + 1.5 * HOUR)
    expect(next(2 * HOUR)).to.equal(DAY.fromMs + 3 * HOUR)
    expect(next(5 * HOUR)).to.equal(undefined)
  })

  it('are gone through file by file', () => {
    const files = [file(HOUR, 2 * HOUR), file(2 * HOUR, 3 * HOUR)]
    const at = (ms: number) => DAY.fromMs + ms
    expect(nextBeginning(files, at(1.5 * HOUR))).to.equal(at(2 * HOUR))
    expect(nextBeginning(files, at(2.5 * HOUR))).to.equal(undefined)
    expect(previousBeginning(files, at(2.5 * HOUR))).to.equal(at(2 * HOUR))
    expect(previousBeginning(files, at(2 * HOUR + 1000))).to.equal(at(HOUR))
    expect(previousBeginning(files, at(HOUR))).to.equal(at(HOUR))
  })
})
