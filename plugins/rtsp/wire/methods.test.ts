import { expect } from 'chai'
import { parseMethods, serializeMethods } from './methods.ts'

const TEXT = 'DESCRIBE, SETUP, TEARDOWN'

describe('parseMethods', () => {
  for (const text of [TEXT, 'DESCRIBE,SETUP,TEARDOWN', ' describe,, SETUP TEARDOWN,setup, ']) {
    it(`takes '${text}'`, () => {
      expect([...parseMethods(text)]).to.deep.equal(['DESCRIBE', 'SETUP', 'TEARDOWN'])
    })
  }

  it('takes an empty list', () => {
    expect(parseMethods('').size).to.equal(0)
  })
})

describe('serializeMethods', () => {
  it('writes them in their order', () => {
    expect(serializeMethods(['DESCRIBE', 'SETUP', 'TEARDOWN'])).to.equal(TEXT)
  })
})
