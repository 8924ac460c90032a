import { expect } from 'chai'
import fc from 'fast-check'
import { DecodingTimes, MAX_REORDER_DEPTH } from './decoding-times.ts'

const TIMESCALE = 90_000
const STEP = 3600
const FPS = 25

/** The decoding times of pictures by their places in the order of output, both counted in pictures; `!` closes an order. */
function timesOf(depth: number, places: string, fps: number | undefined = FPS): (number | string)[] {
  const times = new DecodingTimes(TIMESCALE)
  times.configure(depth, fps)
  return places.split(' ').map((place) => {
    const dts = times.next(Number.parseFloat(place) * STEP, place.endsWith('!')) / STEP
    return Math.round(dts * 1000) / 1000
  })
}

/** A millisecond, where a picture lasts 40. */
const SQUEEZED = 0.025

const CASES: readonly [what: string, depth: number, places: string, expected: readonly number[]][] = [
  ['presentation times where nothing is reordered', 0, '5! 6 7 9', [5, 6, 7, 9]],
  ['a picture earlier for B-frames', 1, '0! 2 1 4 3', [-1, 0, 1, 2, 3]],
  ['two pictures earlier for a pyramid', 2, '0! 4 2 1 3 8 6 5 7', [-2, -1, 0, 1, 2, 3, 4, 5, 6]],
  ['the same over keyframes that close the order', 2, '0! 4 2 1 3 5! 9 7 6 8', [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7]],
  ['the same where pictures after a keyframe are shown before it', 1, '0! 2 1 5 3 4 7 6', [-1, 0, 1, 2, 3, 4, 5, 6]],
  ['such that lie closer to the pictures after some that were lost', 2, '0! 4 2 8 6 5', [-2, -1, 0, 2, 4, 5]],
  ['such that follow an uneven pace', 1, '0! 10 3 11 10.5', [-1, 0, 3, 10, 10.5]],
  ['the last one again for the second field of a picture', 1, '0! 0 2 2 1 1', [-1, -1, 0, 0, 1, 1]],
  [
    'times of another clock when that jumps ahead, or back',
    1,
    '0! 2 1 1000 1002 1001 5 7 6',
    [-1, 0, 1, 999, 1000, 1001, 4, 5, 6],
  ],
  [
    'times of another clock at a keyframe that would be shown before what was',
    1,
    '9! 11 10 3! 5 4',
    [8, 9, 10, 2, 3, 4],
  ],
  ['the last one for pictures that are shown before the one that all begins with', 1, '4 2 3 6 5', [3, 3, 3, 4, 5]],
  ['a time after that of presentation where the depth is wrong, once', 0, '0! 2 1 4 3 6 5', [0, 2, 2, 2.025, 3, 4, 5]],
]

describe('DecodingTimes', () => {
  for (const [what, depth, places, expected] of CASES) {
    it(`gives ${what}`, () => expect(timesOf(depth, places)).to.eql(expected))
  }

  it('takes pictures to last 40 ms where the stream does not say', () => {
    expect(timesOf(1, '0! 2 1', undefined)).to.eql([-1, 0, 1])
    expect(timesOf(1, '0! 2 1', 50)).to.eql([-0.5, 0, 1])
  })

  it('makes room for pictures that are told to come, as soon as it is told', () => {
    const times = new DecodingTimes(TIMESCALE)
    expect(times.next(0, true)).to.equal(0)
    times.expect(2)
    const all = [4, 2, 1, 3].map((place) => times.next(place * STEP, false) / STEP)
    expect(all).to.eql([SQUEEZED, 2 * SQUEEZED, 1, 2])
  })

  it('gives times in order, none after its presentation, for any order within the depth', () => {
    const steps = fc.array(fc.integer({ min: 1, max: 3 * STEP }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 5 }), fc.infiniteStream(fc.nat()), (gaps, depth, choices) => {
        let time = 0
        const shown = gaps.map((gap) => (time += gap))
        const decoded = shuffled(shown, depth, choices)
        const times = new DecodingTimes(TIMESCALE)
        times.configure(depth, FPS)
        const all = decoded.map((pts, index) => times.next(pts, index === 0))
        for (const [index, dts] of all.entries()) {
          expect(dts).to.be.at.most(decoded[index]!)
          if (index > 0) expect(dts).to.be.above(all[index - 1]!)
          if (index >= depth) expect(dts).to.equal(shown[index - depth])
        }
      }),
    )
  })

  it('gives times in order for any that come of one clock, and a bounded depth', () => {
    const one = fc.array(fc.nat({ max: 9 * TIMESCALE }))
    fc.assert(
      fc.property(one, fc.nat({ max: 40 }), (pictures, depth) => {
        const times = new DecodingTimes(TIMESCALE)
        times.configure(depth, FPS)
        let last = -Infinity
        for (const pts of pictures) {
          const dts = times.next(pts, false)
          expect(dts).to.be.at.least(last)
          expect(times.depth).to.be.at.most(MAX_REORDER_DEPTH)
          last = dts
        }
      }),
    )
  })

  it('gives finite times for all that may come', () => {
    const any = fc.array(fc.tuple(fc.maxSafeInteger(), fc.boolean()))
    fc.assert(
      fc.property(any, fc.nat(), (pictures, depth) => {
        const times = new DecodingTimes(TIMESCALE)
        times.configure(depth, undefined)
        for (const [pts, closes] of pictures) expect(Number.isFinite(times.next(pts, closes))).to.equal(true)
      }),
    )
  })
})

/** An order in which at most so many come before one that belongs before them. */
function shuffled(shown: readonly number[], depth: number, choices: fc.Stream<number>): number[] {
  const left = [...shown]
  const decoded: number[] = []
  const early: number[] = []
  while (left.length > 0) {
    const first = left[0]!
    const room = depth - early.filter((pts) => pts > first).length
    const choice = room > 0 && decoded.length > 0 ? (choices.next().value as number) % Math.min(left.length, 4) : 0
    const [pts = 0] = left.splice(choice, 1)
    if (choice > 0) early.push(pts)
    decoded.push(pts)
  }
  return decoded
}
