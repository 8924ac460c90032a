import { expect } from 'chai'
import { stackFrames } from './mistake.ts'

describe('stackFrames', () => {
  it('gives the code that a stack names, and nothing of the message', () => {
    const error = new TypeError('a secret\n    at secret (file:///secret)')
    expect(stackFrames(error).join()).to.include('mistake.test.ts').and.not.include('secret')
    expect(stackFrames(Object.assign(new Error(''), { stack: undefined }))).to.eql([])
  })
})
