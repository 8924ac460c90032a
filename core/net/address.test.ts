import { expect } from 'chai'
import { assert, integer, ipV4, ipV6, property, string } from 'fast-check'
import { formatAddress, isListenAddress, parseListenAddress } from './address.ts'

const VALID = [
  { text: ':1935', host: null, port: 1935 },
  { text: ':0', host: null, port: 0 },
  { text: '127.0.0.1:80', host: '127.0.0.1', port: 80 },
  { text: '0.0.0.0:65535', host: '0.0.0.0', port: 65_535 },
  { text: '[::1]:554', host: '::1', port: 554 },
  { text: '[::]:554', host: '::', port: 554 },
  { text: '[fe80::1%eth0]:554', host: 'fe80::1%eth0', port: 554 },
]

const INVALID = [
  { text: '', why: /not an address/ },
  { text: '1935', why: /not an address/ },
  { text: ':', why: /not an address/ },
  { text: ':-1', why: /not an address/ },
  { text: ':http', why: /not an address/ },
  { text: '[::1]', why: /not an address/ },
  { text: 'udp::5060', why: /not an address/ },
  { text: '::1:1935', why: /not an address/ },
  { text: ':65536', why: /above 65535/ },
  { text: ' :80', why: /not an IP address/ },
  { text: 'localhost:80', why: /not an IP address/ },
  { text: '[127.0.0.1]:80', why: /not an IP address/ },
  { text: '[]:80', why: /not an IP address/ },
  { text: '256.0.0.1:80', why: /not an IP address/ },
]

describe('listen address', () => {
  for (const { text, host, port } of VALID) {
    it(`reads ${text}`, () => {
      expect(parseListenAddress(text)).to.deep.equal({ host, port })
      expect(isListenAddress(text)).to.equal(true)
    })
  }

  for (const { text, why } of INVALID) {
    it(`refuses '${text}'`, () => {
      expect(() => parseListenAddress(text)).to.throw(TypeError, why)
      expect(isListenAddress(text)).to.equal(false)
    })
  }

  it('reads every IP address with every port', () => {
    assert(
      property(ipV4(), ipV6(), integer({ min: 0, max: 65_535 }), (v4, v6, port) => {
        expect(parseListenAddress(`${v4}:${port}`)).to.deep.equal({ host: v4, port })
        expect(parseListenAddress(`[${v6}]:${port}`)).to.deep.equal({ host: v6, port })
      }),
    )
  })

  it('reads or refuses any text', () => {
    assert(
      property(string(), (text) => {
        try {
          expect(parseListenAddress(text).port).to.be.within(0, 65_535)
        } catch (error) {
          expect(error).to.be.instanceOf(TypeError)
        }
      }),
    )
  })

  it('is shown as it is written', () => {
    expect(formatAddress('::', 1935)).to.equal(':1935')
    expect(formatAddress('::1', 1935)).to.equal('[::1]:1935')
    expect(formatAddress('0.0.0.0', 1935)).to.equal('0.0.0.0:1935')
  })
})
