import { expect } from 'chai'
import { checkUserName, userNameOf } from './user-name.ts'

describe('the names of users', () => {
  const names = [
    { written: 'alice', name: 'alice' },
    { written: 'Alice', name: 'alice' },
    { written: 'ＡＬＩＣＥ', name: 'alice' },
    { written: 'Jose\u0301', name: 'jos\u00E9' },
    { written: 'ops+door@example.com', name: 'ops+door@example.com' },
    { written: 'x'.repeat(64), name: 'x'.repeat(64) },
  ]
  for (const { written, name } of names) {
    it(`are spelled in one way: ${written}`, () => expect(userNameOf(written)).to.equal(name))
  }

  for (const written of ['', ' ', 'a b', '.a', 'token:a', 'a\n', 'a\u0000', 'x'.repeat(65), 'x'.repeat(100_000)]) {
    it(`are refused otherwise: ${JSON.stringify(written.slice(0, 80))}`, () => {
      expect(userNameOf(written)).to.equal(undefined)
      expect(() => checkUserName(written)).to.throw('the name of a user is 1 to 64 letters')
    })
  }
})
