import { expect } from 'chai'
import fc from 'fast-check'
import { estimateIndex, REPLAY_WINDOW_PACKETS, ReplayWindow } from './packet-index.ts'

const WRAP = 0x10000

describe('the index of an RTP packet', () => {
  const cases: [string, number, number, number][] = [
    ['the first one', -1, 40_000, 40_000],
    ['the next one', 5, 6, 6],
    ['after a wrap', WRAP - 1, 0, WRAP],
    ['after a wrap that was lost', WRAP - 3, 20, WRAP + 20],
    ['late, from before a wrap', 3 * WRAP + 2, 65_530, 3 * WRAP - 6],
    ['late, in the same round', 3 * WRAP + 500, 2, 3 * WRAP + 2],
    ['from before the first wrap', 2, 65_530, -6],
    ['in the middle of a round', WRAP + 0x8000, 0xffff, WRAP + 0xffff],
    ['of the last round', 2 ** 48 - 2, 65_535, 2 ** 48 - 1],
    ['behind the last round', 2 ** 48 - 1, 0, 2 ** 48],
  ]
  for (const [name, highest, sequenceNumber, index] of cases) {
    it(`is found for one ${name}`, () => {
      expect(estimateIndex(highest, sequenceNumber)).to.equal(index)
    })
  }

  it('is right for all that are less than half a round away', () => {
    const near = fc.tuple(fc.integer({ min: WRAP, max: 2 ** 40 }), fc.integer({ min: -0x7fff, max: 0x7fff }))
    fc.assert(
      fc.property(near, ([highest, distance]) => {
        expect(estimateIndex(highest, (highest + distance) % WRAP)).to.equal(highest + distance)
      }),
    )
  })
})

describe('the replay window', () => {
  it('lets each packet through once, however they are mixed', () => {
    const steps = fc.array(fc.integer({ min: -REPLAY_WINDOW_PACKETS - 20, max: REPLAY_WINDOW_PACKETS + 20 }))
    fc.assert(
      fc.property(steps, fc.nat(2 ** 40), (distances, start) => {
        const window = new ReplayWindow()
        const seen = new Set<number>()
        let highest = -1
        for (const distance of distances) {
          const index = Math.max(0, (highest < 0 ? start : highest) + distance)
          const isNew = highest < 0 || (index > highest - REPLAY_WINDOW_PACKETS && !seen.has(index))
          expect(window.isNew(index)).to.equal(isNew)
          window.add(index)
          if (isNew) seen.add(index)
          highest = Math.max(highest, index)
        }
      }),
    )
  })
})
