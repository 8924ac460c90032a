import { expect } from 'chai'
import { framesOf } from './frame-kinds.ts'

describe('framesOf', () => {
  it('tells frames that refer both ways by their times', () => {
    // I0 P3 B1 B2 P6 B4 I7 P8, by the times at which they are shown.
    const frames = [0, 3, 1, 2, 6, 4, 7, 8].map((timestamp, index) => ({
      sequence: index + 1,
      keyFrame: timestamp === 0 || timestamp === 7,
      wrap: [{ timestamp, size: 100 + timestamp }],
    }))
    expect(
      framesOf(frames)
        .map(({ kind }) => kind[0])
        .join(''),
    ).to.equal('kpbbpbkp')
    expect(framesOf(frames)[1]).to.eql({ sequence: 2, kind: 'predicted', size: 103 })
    expect(framesOf([])).to.eql([])
  })
})
