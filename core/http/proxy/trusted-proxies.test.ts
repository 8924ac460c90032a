import type { IncomingHttpHeaders } from 'node:http'
import { expect } from 'chai'
import type { RoutedRequest } from 'sluice/sdk/http'
import { namedAddresses, proxyHeader, TrustedProxies } from './trusted-proxies.ts'

function requestOf(headers: IncomingHttpHeaders, remoteAddress = '127.0.0.1'): RoutedRequest {
  return { headers, socket: { remoteAddress, remotePort: 4000 } } as unknown as RoutedRequest
}

describe('trusted proxies', () => {
  const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8'])

  const cases: readonly { name: string; headers: IncomingHttpHeaders; from?: string; is: object | undefined }[] = [
    {
      name: 'the client that one proxy saw',
      headers: { 'x-forwarded-for': '203.0.113.7' },
      is: { ip: '203.0.113.7', port: 0 },
    },
    {
      name: 'the address next to the trusted ones, whatever the client wrote before it',
      headers: { 'x-forwarded-for': '127.0.0.1, 203.0.113.7, 10.0.0.2' },
      is: { ip: '203.0.113.7', port: 0 },
    },
    {
      name: 'the first, where all are trusted',
      headers: { 'x-forwarded-for': '10.0.0.9, 10.0.0.2' },
      is: { ip: '10.0.0.9', port: 0 },
    },
    {
      name: 'the last proxy that is known, where the client is hidden',
      headers: { 'x-forwarded-for': '203.0.113.7, unknown, 10.0.0.2' },
      is: { ip: '10.0.0.2', port: 0 },
    },
    {
      name: 'the client by Forwarded, with scheme and host of that hop',
      headers: { forwarded: 'for=203.0.113.7:55;proto=https;host=tv.example, for=10.0.0.2;proto=http;host=inner' },
      is: { ip: '203.0.113.7', port: 55, scheme: 'https', host: 'tv.example' },
    },
    {
      name: 'the client by X-Forwarded-For, where a client sends Forwarded through a proxy that does not know it',
      headers: { forwarded: 'for=127.0.0.1', 'x-forwarded-for': '203.0.113.7' },
      is: { ip: '203.0.113.7', port: 0 },
    },
    { name: 'the client by X-Real-IP', headers: { 'x-real-ip': '203.0.113.7' }, is: { ip: '203.0.113.7', port: 0 } },
    {
      name: 'the scheme and host that the nearest proxy tells',
      headers: {
        'x-forwarded-for': '203.0.113.7',
        'x-forwarded-proto': 'http, https',
        'x-forwarded-host': 'a, tv.example',
      },
      is: { ip: '203.0.113.7', port: 0, scheme: 'https', host: 'tv.example' },
    },
    {
      name: 'the proxy itself, where it tells no address',
      headers: { via: '1.1 varnish' },
      is: { ip: '127.0.0.1', port: 4000 },
    },
    {
      name: 'the proxy itself, where its list has no end',
      headers: { 'x-forwarded-for': '1.2.3.4,'.repeat(99) },
      is: { ip: '127.0.0.1', port: 4000 },
    },
    { name: 'nothing without a header of a proxy', headers: { host: 'x' }, is: undefined },
    {
      name: 'nothing where the peer is not trusted',
      headers: { 'x-forwarded-for': '203.0.113.7' },
      from: '192.0.2.1',
      is: undefined,
    },
    {
      name: 'a peer that is mapped into IPv6',
      headers: { 'x-real-ip': '203.0.113.7' },
      from: '::ffff:10.0.0.1',
      is: { ip: '203.0.113.7', port: 0 },
    },
  ]
  for (const { name, headers, from, is } of cases) {
    it(`tell ${name}`, () => expect(proxies.forwarded(requestOf(headers, from))).to.eql(is))
  }

  it('are none unless they are named', () => {
    expect(new TrustedProxies([]).forwarded(requestOf({ 'x-forwarded-for': '203.0.113.7' }))).to.equal(undefined)
  })
})

describe('a request that came through a proxy', () => {
  const headers = [
    'forwarded',
    'via',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-real-ip',
    'cf-connecting-ip',
  ]
  for (const name of headers) {
    it(`is known by ${name}`, () => expect(proxyHeader({ host: 'x', [name]: '' })).to.equal(name))
  }

  it('is no other', () => {
    expect(proxyHeader({ host: 'x', origin: 'http://x', 'user-agent': 'via', 'x-requested-with': 'x' })).to.equal(
      undefined,
    )
  })

  it('has all the addresses that its headers name', () => {
    const named = namedAddresses({
      'x-forwarded-for': '127.0.0.1, x',
      forwarded: 'for=::1, for="[::1]"',
      'x-real-ip': ' ::1',
    })
    expect(named).to.eql(['::1', '::1', '127.0.0.1', undefined, '::1'])
    expect(namedAddresses({ via: '1.1 x' })).to.eql([])
    expect(namedAddresses({ forwarded: 'nonsense' })).to.eql([undefined])
  })
})
