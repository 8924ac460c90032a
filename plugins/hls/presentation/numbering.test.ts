import { expect } from 'chai'
import { firstNumbers } from './numbering.ts'

const NOW_MS = Date.UTC(2026, 10, 21)
const SHORTEST_SEGMENT_MS = 500

describe('presentation: numbers', () => {
  it('begin past all that a former presentation had or announced', () => {
    for (const ageMs of [1000, 10_000, 86_400_000]) {
      const announced = firstNumbers(NOW_MS).msn + ageMs / SHORTEST_SEGMENT_MS + 1
      expect(firstNumbers(NOW_MS + ageMs).msn).to.be.above(announced)
    }
  })

  it('of timelines are others soon, and small', () => {
    expect(firstNumbers(NOW_MS + 1000).discontinuity).not.to.equal(firstNumbers(NOW_MS).discontinuity)
    expect(firstNumbers(NOW_MS).discontinuity).to.be.within(0, 9999)
  })

  it('fit into 31 bits for long, and are none below zero without a clock', () => {
    expect(firstNumbers(Date.UTC(2036, 11, 31)).msn).to.be.below(2 ** 31)
    expect(firstNumbers(0).msn).to.equal(0)
  })
})
