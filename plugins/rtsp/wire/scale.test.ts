import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { parseScale } from './scale.ts'

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
