import { expect } from 'chai'
import { DialError } from './dial-error.ts'
import { isProxyUrl, parseProxyUrl, type ProxyServer } from './proxy-url.ts'

const NOBODY = { user: undefined }
const urls: readonly (readonly [url: string, expected: ProxyServer])[] = [
  ['http://host', { kind: 'http', host: 'host', port: 80, ...NOBODY }],
  ['HTTP://Host:8080/', { kind: 'http', host: 'host', port: 8080, ...NOBODY }],
  ['https://host', { kind: 'https', host: 'host', port: 443, ...NOBODY }],
  ['socks5://[::1]', { kind: 'socks5', host: '::1', port: 1080, ...NOBODY }],
  ['socks5h://127.0.0.1:9050', { kind: 'socks5', host: '127.0.0.1', port: 9050, ...NOBODY }],
  ['http://a%40b:p%3Aw@h:1', { kind: 'http', host: 'h', port: 1, user: { name: 'a@b', password: 'p:w' } }],
  ['socks5://name@h', { kind: 'socks5', host: 'h', port: 1080, user: { name: 'name', password: '' } }],
]
const LONG = 's3cret'.repeat(50)
const mistakes = [
  '',
  'host',
  'host:8080',
  'ftp://s3cret@host',
  'socks4://s3cret@host',
  'http://',
  'socks5://',
  'socks5://:1080',
  'http://host:0',
  'http://host:99999',
  'http://s3cret%FF:x@host',
  `socks5://u:${LONG}@host`,
]

describe('the address of a proxy', () => {
  for (const [url, expected] of urls) it(`may be ${url}`, () => expect(parseProxyUrl(url)).to.eql(expected))
  for (const url of mistakes) {
    it(`is not '${url.slice(0, 40)}'`, () => {
      expect(() => parseProxyUrl(url))
        .to.throw(DialError)
        .with.property('message')
        .that.does.not.include('s3cret')
      expect(isProxyUrl(url)).to.equal(false)
    })
  }
})
