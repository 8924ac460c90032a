import { expect } from 'chai'
import { lostPictures, sentOf } from './shown-pictures.ts'

const ENCODED = ['key 1', '2', '3', '4', 'key 5', '6', '7']

describe('the pictures that were lost', () => {
  for (const [what, received, lost] of [
    ['none', ENCODED, 0],
    ['none of those after the first that came', ENCODED.slice(2, 6), 0],
    ['one, and all after it are elsewhere', ['key 1', '3', '4'], 2],
    ['one before a keyframe', ['key 1', '2', '3', 'key 5'], 1],
    ['one that came twice', ['key 1', '2', '2', '3'], 2],
    ['all, where nothing of it came', ['8'], Infinity],
    ['all, where nothing came', [], Infinity],
  ] as const) {
    it(`are ${what}`, () => {
      expect(lostPictures(ENCODED, received)).to.equal(lost)
    })
  }
})

describe('the pictures that a browser has sent', () => {
  it('are without those that it threw away before a keyframe', () => {
    expect(sentOf(ENCODED, ['key 1', '2', 'key 5', '6'])).to.eql(['key 1', '2', 'key 5', '6'])
  })

  it('are with those that are missing elsewhere', () => {
    expect(sentOf(ENCODED, ['key 1', '2', '4'])).to.eql(['key 1', '2', '3'])
    expect(sentOf(ENCODED, ['key 1', '2', '3', '4', 'key 5', '7'])).to.eql(ENCODED.slice(0, 6))
  })
})
