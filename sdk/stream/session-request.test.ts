import { expect } from 'chai'
import { sessionClient } from './session-request.ts'

describe('sessionClient', () => {
  const cases = [
    { remoteAddress: '192.0.2.1', ip: '192.0.2.1' },
    { remoteAddress: '::ffff:192.0.2.1', ip: '192.0.2.1' },
    { remoteAddress: '2001:db8::1', ip: '2001:db8::1' },
    { remoteAddress: '::ffff:1:2', ip: '::ffff:1:2' },
    { remoteAddress: undefined, ip: '' },
  ]
  for (const { remoteAddress, ip } of cases) {
    it(`shows ${remoteAddress ?? 'no address'} as '${ip}'`, () => {
      expect(sessionClient({ remoteAddress, remotePort: 5060 }, 'camera/1')).to.eql({
        ip,
        port: 5060,
        userAgent: 'camera/1',
      })
    })
  }

  it('has port 0 where the other end is not known', () => {
    expect(sessionClient({})).to.eql({ ip: '', port: 0, userAgent: '' })
  })
})
