import { expect } from 'chai'
import fc from 'fast-check'
import { CounterUnwrapper } from './counter-unwrapper.ts'

const MAX_32 = 2 ** 32 - 1
const MAX_33 = 2 ** 33 - 1

const cases = [
  { name: 'a first value as it is', bits: 32, raw: [MAX_32], times: [MAX_32] },
  { name: 'a wrap of 32 bits', bits: 32, raw: [MAX_32 - 1, 1], times: [MAX_32 - 1, MAX_32 + 2] },
  { name: 'a wrap of 33 bits', bits: 33, raw: [MAX_33, 0, 3600], times: [MAX_33, 2 ** 33, 2 ** 33 + 3600] },
  { name: 'what follows a first value that is ranges off', bits: 8, raw: [1034, 20, 5], times: [1034, 1044, 1029] },
  { name: 'what follows a first value below zero', bits: 8, raw: [-502, 20], times: [-502, -492] },
  { name: 'a step back', bits: 33, raw: [9000, 3000], times: [9000, 3000] },
  {
    name: 'a step back over the wrap',
    bits: 32,
    raw: [MAX_32, 10, MAX_32, 11],
    times: [0, 11, 0, 12].map((t) => t + MAX_32),
  },
  { name: 'a step back below zero', bits: 32, raw: [5, MAX_32], times: [5, -1] },
  { name: 'a step of half the range as one back', bits: 8, raw: [200, 72], times: [200, 72] },
  { name: 'a step of half the range over the wrap as one back', bits: 8, raw: [10, 138], times: [10, -118] },
  { name: 'many wraps', bits: 8, raw: [200, 40, 140, 240, 84, 184, 20], times: [200, 296, 396, 496, 596, 696, 788] },
]

describe('CounterUnwrapper', () => {
  for (const { name, bits, raw, times } of cases) {
    it(`gives ${name}`, () => {
      const counter = new CounterUnwrapper(bits)
      expect(raw.map((value) => counter.unwrap(value))).to.deep.equal(times)
    })
  }

  it('gives back any counter whose steps are below half its range', () => {
    const half = 2 ** 32
    const steps = fc.array(fc.integer({ min: -half, max: half - 1 }), { maxLength: 50 })
    fc.assert(
      fc.property(fc.nat(MAX_33), steps, (first, steps) => {
        const counter = new CounterUnwrapper(33)
        let time = first
        expect(counter.unwrap(first)).to.equal(first)
        for (const step of steps) {
          time += step
          const raw = ((time % 2 ** 33) + 2 ** 33) % 2 ** 33
          expect(counter.unwrap(raw)).to.equal(time)
        }
      }),
    )
  })
})
