import { expect } from 'chai'
import { BitrateEstimate } from './bitrate-estimate.ts'

/** Estimates of so many seconds in which so much comes, and so much is lost. */
function estimates(
  count: number,
  bitrateBps: number,
  fractionLost: number,
  estimate = new BitrateEstimate(),
): number[] {
  return Array.from({ length: count }, (_, index) => {
    estimate.add(bitrateBps / 8)
    return estimate.next(fractionLost, (index + 1) * 1000)
  })
}

describe('BitrateEstimate', () => {
  it('lets a source begin, and is ahead of what comes, but not by any amount', () => {
    expect(estimates(60, 500_000, 0).at(-1)).to.equal(3_000_000)
    expect(estimates(60, 10_000_000, 0).at(-1)).to.be.within(10_000_000, 16_200_000)
  })

  it('stays where some is lost, falls where much is, and not to nothing', () => {
    expect(new Set(estimates(60, 5_000_000, 0.05))).to.eql(new Set([3_000_000]))
    expect(estimates(5, 5_000_000, 0.2).at(-1)).to.be.below(2_000_000)
    expect(estimates(200, 5_000_000, 1).at(-1)).to.equal(100_000)
  })
})
