import { expect } from 'chai'
import fc from 'fast-check'
import { addToSequence, nextSequence, SEQUENCE_MASK, sequenceDistance } from './sequence.ts'

describe('sequence numbers', () => {
  it('begin again after the last', () => {
    expect(nextSequence(SEQUENCE_MASK)).to.equal(0)
    expect(addToSequence(SEQUENCE_MASK, 3)).to.equal(2)
    expect(addToSequence(1, -3)).to.equal(SEQUENCE_MASK - 1)
    expect(sequenceDistance(SEQUENCE_MASK, 2)).to.equal(3)
    expect(sequenceDistance(2, SEQUENCE_MASK)).to.equal(-3)
  })

  it('are as far from each other as was added, however much was added before', () => {
    const near = fc.integer({ min: -(2 ** 30), max: 2 ** 30 - 1 })
    fc.assert(
      fc.property(fc.nat(SEQUENCE_MASK), fc.nat(2 ** 50), near, (start, before, count) => {
        const from = addToSequence(start, before)
        expect(sequenceDistance(from, addToSequence(from, count))).to.equal(count)
        expect(addToSequence(start, before + Math.abs(count))).to.equal(addToSequence(from, Math.abs(count)))
      }),
    )
  })
})
