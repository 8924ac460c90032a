import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { SipHeaders } from '../sip/headers.ts'
import type { SipRequest } from '../sip/message.ts'
import { receivedRequest } from './received-request.ts'

const requestVia = (...vias: string[]): SipRequest => ({
  kind: 'request',
  method: 'REGISTER',
  uri: 'sip:a',
  headers: new SipHeaders(vias.map((via) => ['Via', via])),
  body: Buffer.alloc(0),
})

const FROM = { host: '203.0.113.5', port: 40_000 }

describe('a request that has come', () => {
  const cases: readonly (readonly [name: string, via: string, noted: string, port: number])[] = [
    [
      'behind a NAT, with rport',
      'SIP/2.0/UDP 192.168.1.2:5060;rport;branch=x',
      'SIP/2.0/UDP 192.168.1.2:5060;rport=40000;branch=x;received=203.0.113.5',
      40_000,
    ],
    [
      'behind a NAT, without rport',
      'SIP/2.0/UDP 192.168.1.2:5060;branch=x',
      'SIP/2.0/UDP 192.168.1.2:5060;branch=x;received=203.0.113.5',
      40_000,
    ],
    [
      'from its own address, with rport',
      'SIP/2.0/UDP 203.0.113.5:5060;rport;branch=x',
      'SIP/2.0/UDP 203.0.113.5:5060;rport=40000;branch=x;received=203.0.113.5',
      40_000,
    ],
    [
      'from its own address, another port than it sends from',
      'SIP/2.0/UDP 203.0.113.5:5060;branch=x',
      'SIP/2.0/UDP 203.0.113.5:5060;branch=x',
      5060,
    ],
    [
      'from its own address, without a port',
      'SIP/2.0/UDP 203.0.113.5;branch=x',
      'SIP/2.0/UDP 203.0.113.5;branch=x',
      40_000,
    ],
    [
      'through a proxy',
      'SIP/2.0/UDP 203.0.113.5:5080;branch=y, SIP/2.0/UDP 10.0.0.1;branch=x',
      'SIP/2.0/UDP 203.0.113.5:5080;branch=y, SIP/2.0/UDP 10.0.0.1;branch=x',
      5080,
    ],
  ]
  for (const [name, via, noted, port] of cases) {
    it(`is answered where it came from: ${name}`, () => {
      const { request, replyTo } = receivedRequest(requestVia(via, 'SIP/2.0/UDP other'), FROM)
      expect(request.headers.all('Via')).to.eql([noted, 'SIP/2.0/UDP other'])
      expect(replyTo).to.eql({ host: FROM.host, port })
    })
  }

  it('is refused without a Via', () => {
    expect(() => receivedRequest(requestVia(), FROM)).to.throw(MalformedError)
  })
})
