import { expect } from 'chai'
import { createCookie, isFreshCookie } from './cookie.ts'

const MINUTE_US = 60_000_000

describe('the cookie', () => {
  const secret = Buffer.from('a secret of this test')
  const peer = { remoteAddress: '192.0.2.7', remotePort: 4000 }
  const nowUs = 1000 * MINUTE_US + 59_000_000
  const cookie = createCookie(secret, peer, nowUs)

  it('is taken in its minute and in the next, and not later or earlier', () => {
    for (const laterUs of [0, 1_000_000, MINUTE_US]) {
      expect(isFreshCookie(cookie, secret, peer, nowUs + laterUs), String(laterUs)).to.equal(true)
    }
    for (const laterUs of [-MINUTE_US, 2 * MINUTE_US]) {
      expect(isFreshCookie(cookie, secret, peer, nowUs + laterUs), String(laterUs)).to.equal(false)
    }
  })

  it('is of one address, one port and one secret', () => {
    expect(isFreshCookie(cookie, secret, { ...peer, remoteAddress: '192.0.2.8' }, nowUs)).to.equal(false)
    expect(isFreshCookie(cookie, secret, { ...peer, remotePort: 4001 }, nowUs)).to.equal(false)
    expect(isFreshCookie(cookie, Buffer.from('another'), peer, nowUs)).to.equal(false)
    expect(isFreshCookie((cookie ^ 1) >>> 0, secret, peer, nowUs)).to.equal(false)
  })
})
