import { expect } from 'chai'
import { MAX_DURATION_MS } from '../config/duration.ts'
import { SetupLater } from './setup-later.ts'

describe('SetupLater', () => {
  it('has the reason, and when to try again', () => {
    expect(new SetupLater('not yet', { afterMs: 5000, cause: 'x' })).to.include({
      code: 'SETUP_LATER',
      statusCode: 503,
      message: 'not yet',
      afterMs: 5000,
      cause: 'x',
    })
    expect(new SetupLater('not yet').afterMs).to.equal(undefined)
  })

  for (const afterMs of [-1, Number.NaN, Infinity, MAX_DURATION_MS + 1]) {
    it(`takes no ${afterMs} for a time`, () => {
      expect(() => new SetupLater('not yet', { afterMs })).to.throw(RangeError, String(afterMs))
    })
  }
})
