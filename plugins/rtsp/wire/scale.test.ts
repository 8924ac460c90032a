import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { parseScale, parseSpeed } from './scale.ts'

describe('parseScale', () => {
  for (const [text, scale] of [
    ['1', 1],
    ['-3.5', -3.5],
    ['+.5', 0.5],
    ['2.', 2],
  ] as const) {
    it(`takes ${text}`, () => {
      expect(parseScale(text)).to.equal(scale)
    })
  }

  for (const text of ['', '0', '-0.0', '1e3', 'NaN', '1000000000', '.', '1 2']) {
    it(`refuses '${text}'`, () => {
      expect(() => parseScale(text)).to.throw(MalformedError)
    })
  }
})

describe('parseSpeed', () => {
  it('takes what is above 0', () => {
    expect(parseSpeed('2.5')).to.equal(2.5)
    for (const text of ['-1', '0', 'fast']) expect(() => parseSpeed(text)).to.throw(MalformedError)
  })
})
