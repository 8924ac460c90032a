import { expect } from 'chai'
import fc from 'fast-check'
import { parseAddress, type ListenAddress } from './address.ts'

const VALID: [text: string, address: ListenAddress][] = [
  [':1935', { host: undefined, port: 1935 }],
  [':0', { host: undefined, port: 0 }],
  ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['0.0.0.0:65535', { host: '0.0.0.0', port: 65_535 }],
  ['[::1]:80', { host: '::1', port: 80 }],
  ['[::]:8080', { host: '::', port: 8080 }],
  ['[fe80::1%eth0]:80', { host: 'fe80::1%eth0', port: 80 }],
]
const INVALID = [
  ['', 'empty'],
  ['1935', 'no colon'],
  [':', 'no port'],
  [':65536', 'a port too high'],
  [':-1', 'a negative port'],
  [':http', 'a named port'],
  ['::1:80', 'IPv6 without brackets'],
  ['[127.0.0.1]:80', 'IPv4 in brackets'],
  ['[]:80', 'nothing in brackets'],
  ['[::1]', 'no port after brackets'],
  ['localhost:80', 'a name'],
  ['256.0.0.1:80', 'no IPv4 address'],
  ['udp::5060', 'a transport'],
  [' :80', 'a space'],
]

describe('addresses', () => {
  for (const [text, address] of VALID) {
    it(`reads ${text}`, () => {
      expect(parseAddress(text)).to.deep.equal(address)
    })
  }

  for (const [text, why] of INVALID) {
    it(`refuses '${text}': ${why}`, () => {
      expect(parseAddress(text ?? '')).to.equal(undefined)
    })
  }

  it('reads every IP address with every port', () => {
    const port = fc.integer({ min: 0, max: 65_535 })
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV6(), port, (ipv4, ipv6, port) => {
        expect(parseAddress(`${ipv4}:${port}`)).to.deep.equal({ host: ipv4, port })
        expect(parseAddress(`[${ipv6}]:${port}`)).to.deep.equal({ host: ipv6, port })
      }),
    )
  })
})
