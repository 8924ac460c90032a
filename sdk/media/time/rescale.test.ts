import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { rescale } from './rescale.ts'

const cases: { name: string; args: [value: number, from: number, to: number]; ticks: number }[] = [
  { name: 'equal timescales', args: [1234, 90_000, 90_000], ticks: 1234 },
  { name: 'milliseconds to 90 kHz', args: [40, 1000, 90_000], ticks: 3600 },
  { name: 'rounding down', args: [1, 90_000, 1000], ticks: 0 },
  { name: 'rounding down below zero', args: [-1, 90_000, 1000], ticks: -1 },
  { name: 'whole seconds below zero', args: [-90_000, 90_000, 1000], ticks: -1000 },
  { name: 'a product above 2^53', args: [2 ** 40 + 1, 1000, 90_000], ticks: 98_956_046_499_930 },
  { name: 'two large timescales', args: [999_999_999, 1_000_000_000, 999_999_937], ticks: 999_999_936 },
]

function exact(value: number, from: number, to: number): number {
  const product = BigInt(value) * BigInt(to)
  const divisor = BigInt(from)
  const quotient = product / divisor
  return Number(product % divisor < 0n ? quotient - 1n : quotient)
}

describe('rescale', () => {
  for (const { name, args, ticks } of cases) {
    it(`converts ${name}`, () => {
      expect(rescale(...args)).to.equal(ticks)
    })
  }

  it('is exact wherever the result is a safe integer', () => {
    const timescale = fc.oneof(fc.constantFrom(1000, 44_100, 48_000, 90_000), fc.integer({ min: 1, max: 2 ** 32 - 1 }))
    fc.assert(
      fc.property(fc.maxSafeInteger(), timescale, timescale, (value, from, to) => {
        const expected = exact(value, from, to)
        fc.pre(Number.isSafeInteger(expected))
        expect(rescale(value, from, to)).to.equal(expected)
      }),
      { numRuns: rounds(2000) },
    )
  })
})
