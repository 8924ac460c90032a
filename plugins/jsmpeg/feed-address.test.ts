import { expect } from 'chai'
import { StreamUnavailable, type ServerInfo } from 'sluice/sdk'
import { feedAddress } from './feed-address.ts'

type Addresses = ReturnType<ServerInfo['listeners']>

const QUERY = 'ticket=t&transport=tcp'

function serverWith(addresses: Addresses): ServerInfo {
  return {
    startTime: new Date(0),
    endpoints: () => [],
    mayAdminister: () => false,
    listeners: (name) => (name === 'rtsp' ? addresses : []),
  }
}

describe('feedAddress', () => {
  const cases: readonly (readonly [name: string, addresses: Addresses, address: string])[] = [
    ['any address', [{ host: '::', port: 554, tls: false }], 'rtsp://127.0.0.1:554'],
    ['any of IPv4', [{ host: '0.0.0.0', port: 8554, tls: false }], 'rtsp://127.0.0.1:8554'],
    ['one of IPv4', [{ host: '192.0.2.1', port: 554, tls: false }], 'rtsp://192.0.2.1:554'],
    ['one of IPv6', [{ host: '2001:db8::1', port: 554, tls: false }], 'rtsp://[2001:db8::1]:554'],
    ['TLS alone', [{ host: '::', port: 322, tls: true }], 'rtsps://127.0.0.1:322'],
    [
      'both',
      [
        { host: '::', port: 322, tls: true },
        { host: '::', port: 554, tls: false },
      ],
      'rtsp://127.0.0.1:554',
    ],
  ]
  for (const [name, addresses, address] of cases) {
    it(`where rtsp listens on ${name} is ${address}`, () => {
      expect(feedAddress(serverWith(addresses), 'live/a b', 'ticket=t')).to.equal(`${address}/live/a%20b?${QUERY}`)
    })
  }

  it('is none where rtsp does not listen', () => {
    expect(() => feedAddress(serverWith([]), 'live/a', '')).to.throw(StreamUnavailable, /rtsp/u)
    expect(() => feedAddress(undefined, 'live/a', '')).to.throw(StreamUnavailable)
  })
})
