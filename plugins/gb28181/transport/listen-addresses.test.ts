import { expect } from 'chai'
import { sipListenAddresses } from './listen-addresses.ts'

describe('addresses of SIP', () => {
  it('are of UDP, TCP, or both where they don’t say', () => {
    expect(sipListenAddresses(['udp::5060', 'tcp:[::1]:5061', '192.0.2.1:5062'])).to.eql([
      { isTcp: false, address: ':5060' },
      { isTcp: true, address: '[::1]:5061' },
      { isTcp: false, address: '192.0.2.1:5062' },
      { isTcp: true, address: '192.0.2.1:5062' },
    ])
  })
})
