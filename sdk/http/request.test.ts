import { expect } from 'chai'
import { decodePathPart } from './request.ts'

describe('decodePathPart', () => {
  const cases: readonly [string, string][] = [
    ['a', 'a'],
    ['caf%C3%A9', 'café'],
    ['a%2Fb', 'a/b'],
    ['50%25', '50%'],
    ['50%', '50%'],
    ['%C3%A9 %C3', '%C3%A9 %C3'],
    ['', ''],
  ]
  for (const [part, text] of cases) {
    it(`of '${part}'`, () => expect(decodePathPart(part)).to.equal(text))
  }
})
