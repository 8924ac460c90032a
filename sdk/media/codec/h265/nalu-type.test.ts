import { expect } from 'chai'
import { h265NaluType, isH265RandomAccess } from './nalu-type.ts'

const nalu = (type: number) => Buffer.from([type << 1, 1])

// The sequences of types that libx265 writes.
const cases = [
  { types: [32, 33, 34, 20], randomAccess: true },
  { types: [32, 33, 34, 21], randomAccess: true },
  { types: [39, 16], randomAccess: true },
  { types: [1], randomAccess: false },
  { types: [35, 9], randomAccess: false },
  { types: [8], randomAccess: false },
  { types: [32, 33, 34], randomAccess: false },
  { types: [], randomAccess: false },
]

describe('isH265RandomAccess', () => {
  for (const { types, randomAccess } of cases) {
    it(`is ${randomAccess} for units of types ${types.join(', ') || 'none'}`, () => {
      expect(isH265RandomAccess(types.map(nalu))).to.equal(randomAccess)
    })
  }

  it('is false for an empty unit', () => {
    expect(isH265RandomAccess([Buffer.alloc(0)])).to.equal(false)
    expect(h265NaluType(Buffer.alloc(0))).to.equal(63)
  })
})
