import { expect } from 'chai'
import { inTurn, isSoak } from './soak.ts'

describe('soak', () => {
  it('has all of a list, and another run the one whose turn it is', () => {
    const chosen = [0, 1, 2, 4].map((turn) => inTurn(['a', 'b', 'c'], turn).join(''))
    expect(chosen).to.eql(isSoak ? ['abc', 'abc', 'abc', 'abc'] : ['a', 'b', 'c', 'b'])
  })
})
