import { expect } from 'chai'
import { MalformedError } from '../errors.ts'
import { tryParse } from './try-parse.ts'

const throwing = (error: Error) => () => {
  throw error
}

describe('tryParse', () => {
  it('gives what was parsed, or undefined for malformed and missing bytes', () => {
    expect(tryParse((bytes) => bytes.length, Buffer.alloc(3))).to.equal(3)
    expect(tryParse(throwing(new MalformedError('')), Buffer.alloc(1))).to.equal(undefined)
    expect(tryParse((bytes: Buffer) => bytes.length, undefined)).to.equal(undefined)
  })

  it('lets other errors pass', () => {
    expect(() => tryParse(throwing(new RangeError('bug')), Buffer.alloc(1))).to.throw(RangeError, 'bug')
  })
})
