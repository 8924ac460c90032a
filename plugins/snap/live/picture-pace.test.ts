import { expect } from 'chai'
import { everyInterval, everyNth } from './picture-pace.ts'

describe('the pace of pictures', () => {
  const taken = (pace: (timeMs: number) => boolean, times: readonly number[]) => times.filter((timeMs) => pace(timeMs))

  it('is one an interval, though keyframes come a little early', () => {
    expect(taken(everyInterval(1000), [0, 500, 998, 1500, 2003, 2990])).to.eql([0, 998, 2003, 2990])
    expect(taken(everyInterval(0), [0, 1, 1])).to.eql([0, 1, 1])
  })

  it('goes on where time goes back, as another publisher begins anew', () => {
    expect(taken(everyInterval(1000), [5000, 0, 500, 1000])).to.eql([5000, 0, 1000])
  })

  it('is one of so many keyframes', () => {
    expect(taken(everyNth(3), [1, 2, 3, 4, 5, 6, 7])).to.eql([1, 4, 7])
  })
})
