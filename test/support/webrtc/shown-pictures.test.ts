import { expect } from 'chai'
import { lostPictures } from './shown-pictures.ts'

const SENT = ['key 1', '2', '3', '4', 'key 5', '6', '7']

describe('the pictures that were lost', () => {
  for (const [what, received, lost] of [
    ['none', SENT, 0],
    ['none of those after the first that came', SENT.slice(2, 6), 0],
    ['none that the browser threw away before a keyframe', ['key 1', '2', 'key 5', '6'], 0],
    ['one, and all after it are elsewhere', ['key 1', '3', '4'], 2],
    ['one after a keyframe', ['key 1', '2', '3', '4', 'key 5', '7'], 1],
    ['one that came twice', ['key 1', '2', '2', '3'], 2],
  ] as const) {
    it(`are ${what}`, () => {
      expect(lostPictures(SENT, received)).to.equal(lost)
    })
  }

  it('are all where nothing of it came', () => {
    expect(lostPictures(SENT, [])).to.equal(Infinity)
    expect(lostPictures(SENT, ['8'])).to.equal(Infinity)
  })
})
