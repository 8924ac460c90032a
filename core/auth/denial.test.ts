import { expect } from 'chai'
import { StreamDenied } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { failureText, logDenial } from './denial.ts'
import { sessionRequest } from './fixtures/request.ts'

describe('denial', () => {
  it('is one line of the log, with why and whom', () => {
    const { logger, records } = new LogRecords('rtmp')
    logDenial(logger, sessionRequest(), new StreamDenied(new Error('it failed', { cause: new Error('no answer') })))
    expect(records).to.have.length(1)
    expect(records[0]).to.deep.include({
      msg: 'denied',
      stream: 'live/test',
      action: 'publish',
      ip: '192.0.2.1',
      port: 40_000,
      reason: 'it failed: no answer',
    })
  })

  const request = sessionRequest({ query: 'token=s3cret-token&expire=6f000000&n=12' })
  const circle = new Error('round')
  circle.cause = circle
  const texts: readonly (readonly [string, unknown, string])[] = [
    ['has the codes of errors without message', Object.assign(new Error(), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['has the names of errors without both', new TypeError(), 'TypeError'],
    ['has a text that was thrown', 'no', 'no'],
    ['has nothing where nothing was said', undefined, ''],
    ['ends where causes go round', circle, 'round: round: round: round: round'],
    ['keeps to one line', new Error('a\nb\u001b[31m'), 'a b [31m'],
    ['is bounded', new Error('x'.repeat(5000)), 'x'.repeat(512)],
    ['leaves out what the client sent', new Error('bad s3cret-token until 6f000000, 12'), 'bad *** until ***, ***'],
    ['leaves it out of causes', new Error('it failed', { cause: new Error('bad S3cret-token') }), 'it failed: bad ***'],
  ]
  for (const [name, error, text] of texts) {
    it(name, () => expect(failureText(error, request)).to.equal(text))
  }
})
