import { expect } from 'chai'
import { parseForwarded, parseForwardedFor, parseHost, parseScheme } from './forwarded.ts'

const NOTHING = { client: undefined, scheme: undefined, host: undefined }

describe('the Forwarded header', () => {
  // Those of RFC 7239, 4 to 7, come first.
  const cases = [
    { header: 'for="_gazonk"', hops: [NOTHING] },
    { header: 'For="[2001:db8:cafe::17]:4711"', hops: [{ client: { ip: '2001:db8:cafe::17', port: 4711 } }] },
    {
      header: 'for=192.0.2.60;proto=http;by=203.0.113.43',
      hops: [{ client: { ip: '192.0.2.60', port: 0 }, scheme: 'http' }],
    },
    {
      header: 'for=192.0.2.43, for=198.51.100.17',
      hops: [{ client: { ip: '192.0.2.43', port: 0 } }, { client: { ip: '198.51.100.17', port: 0 } }],
    },
    { header: 'for=_hidden, for=_SEVKISEK', hops: [NOTHING, NOTHING] },
    { header: 'for="192.0.2.43:47011"', hops: [{ client: { ip: '192.0.2.43', port: 47_011 } }] },
    { header: 'for="[2001:db8:cafe::17]:_x"', hops: [{ client: { ip: '2001:db8:cafe::17', port: 0 } }] },
    { header: 'for=unknown', hops: [NOTHING] },
    { header: 'proto=https;host="stream.example:8443"', hops: [{ scheme: 'https', host: 'stream.example:8443' }] },
    { header: 'host="a\\".example"', hops: [NOTHING] },
    { header: 'for="192.0.2.\\4\\3"', hops: [{ client: { ip: '192.0.2.43', port: 0 } }] },
    { header: ', ,for=192.0.2.43 ,', hops: [{ client: { ip: '192.0.2.43', port: 0 } }] },
    { header: 'for=[::ffff:192.0.2.1]', hops: [{ client: { ip: '192.0.2.1', port: 0 } }] },
    { header: 'proto=gopher;host=a b', hops: undefined },
    { header: 'for=192.0.2.43;for=127.0.0.1', hops: undefined },
    { header: 'for=192.0.2.43;', hops: undefined },
    { header: 'for="192.0.2.43', hops: undefined },
    { header: '192.0.2.43', hops: undefined },
    { header: 'for=192.0.2.43 for=127.0.0.1', hops: undefined },
    { header: 'for=192.0.2.43, \u0000', hops: undefined },
    { header: '__proto__=x, for=192.0.2.43', hops: [NOTHING, { client: { ip: '192.0.2.43', port: 0 } }] },
    { header: `for=192.0.2.43${', for=192.0.2.43'.repeat(31)}`, hops: 32 },
    { header: `for=192.0.2.43${', for=192.0.2.43'.repeat(32)}`, hops: undefined },
    { header: `secret="${'x'.repeat(5000)}"`, hops: undefined },
  ]
  for (const { header, hops } of cases) {
    it(`of ${header.slice(0, 60)}`, () => {
      const parsed = parseForwarded(header)
      if (typeof hops === 'number') expect(parsed).to.have.length(hops)
      else expect(parsed).to.eql(hops?.map((hop) => ({ ...NOTHING, ...hop })))
    })
  }

  it('is parsed in a time that grows with its length alone', () => {
    for (const part of [',', ' ', 'for=', '"', '\\', 'a=b;', 'a="\\']) {
      const hops = parseForwarded(part.repeat(Math.floor(4096 / part.length)))
      expect(hops ?? [], part).to.eql([])
    }
  })
})

describe('X-Forwarded-For', () => {
  const cases = [
    { header: '203.0.113.7', nodes: [{ ip: '203.0.113.7', port: 0 }] },
    {
      header: '203.0.113.7:5,2001:db8::1',
      nodes: [
        { ip: '203.0.113.7', port: 5 },
        { ip: '2001:db8::1', port: 0 },
      ],
    },
    { header: ' [2001:db8::1]:443 , unknown', nodes: [{ ip: '2001:db8::1', port: 443 }, undefined] },
    { header: '', nodes: [undefined] },
    { header: '127.0.0.1; rm -rf', nodes: [undefined] },
    { header: '1.2.3.4,'.repeat(31), nodes: 32 },
    { header: '1.2.3.4,'.repeat(32), nodes: undefined },
  ]
  for (const { header, nodes } of cases) {
    it(`of '${header.slice(0, 40)}'`, () => {
      const parsed = parseForwardedFor(header)
      if (typeof nodes === 'number') expect(parsed).to.have.length(nodes)
      else expect(parsed).to.eql(nodes)
    })
  }
})

describe('what a proxy says of the address that was asked for', () => {
  it('has a scheme, which may be called that of a WebSocket', () => {
    const texts = ['https', ' HTTPS', 'wss', 'http', 'ws', 'ftp', '', undefined]
    const schemes = ['https', 'https', 'https', 'http', 'http', undefined, undefined, undefined]
    expect(texts.map(parseScheme)).to.eql(schemes)
  })

  it('has a host, with or without a port', () => {
    for (const host of ['a.example', 'a.example:8443', '[2001:db8::1]:80', '192.0.2.1']) {
      expect(parseHost(host), host).to.equal(host)
    }
    for (const text of ['', 'a b', 'a.example/path', 'user@a.example', 'a\r\nb', 'x'.repeat(300), undefined]) {
      expect(parseHost(text), text).to.equal(undefined)
    }
  })
})
