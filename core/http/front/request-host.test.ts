import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { settleHost, settleHttp2Host } from './request-host.ts'

/** The host that a request is for, or why that is not clear. */
function hostOf(lines: readonly string[], url = '/'): string | undefined {
  const rawHeaders = lines.flatMap((line) => ['Host', line])
  const request = { rawHeaders, headers: { host: lines[0] }, url } as unknown as IncomingMessage
  return settleHost(request) ?? request.headers.host
}

function http2HostOf(authority: string, host?: string): string | undefined {
  const headers: { host?: string } = host === undefined ? {} : { host }
  return settleHttp2Host({ authority, headers }) ?? headers.host
}

describe('the host of a request', () => {
  for (const host of [
    'a.example',
    'A.example:8080',
    'a_b',
    '127.0.0.1',
    '[::1]',
    '[2001:db8::1]:8080',
    'a:',
    'a%2d',
    '',
  ]) {
    it(`is taken: ${JSON.stringify(host)}`, () => {
      expect(hostOf([host])).to.equal(host)
      if (host !== '') expect(http2HostOf(host)).to.equal(host)
    })
  }

  for (const host of [
    'user@a',
    'a b',
    'a/b',
    'a?b',
    'a#b',
    'a\\b',
    'a:b',
    'a:99999',
    '[::1',
    '::1',
    '[::zz]',
    'a"',
    'ü.example',
  ]) {
    it(`is refused: ${JSON.stringify(host)}`, () => {
      expect(hostOf([host])).to.equal('a Host that is none')
      expect(hostOf(['a'], `http://${host.replace(/[/?#].*/u, '@')}/b`)).to.match(/^a URL/u)
      expect(http2HostOf(host)).to.equal('an :authority that is none')
      expect(http2HostOf('a', host)).to.equal('a Host that is none')
    })
  }

  it('is one', () => {
    expect(hostOf(['a', 'b'])).to.equal('more than one Host')
    expect(hostOf(['a', 'a'])).to.equal('more than one Host')
    expect(hostOf([])).to.equal(undefined)
  })

  it('is that of a target that is a whole URL', () => {
    expect(hostOf(['a'], 'http://b.example:81/c')).to.equal('b.example:81')
    expect(hostOf([], 'HTTP://b.example')).to.equal('b.example')
    expect(hostOf(['a', 'b'], 'http://b/')).to.equal('more than one Host')
    expect(hostOf(['a'], 'http:///c')).to.match(/^a URL/u)
  })

  it('is said once in HTTP/2, or twice the same', () => {
    expect(http2HostOf('a.example:443', 'A.example')).to.equal('a.example:443')
    expect(http2HostOf('', 'b')).to.equal('b')
    expect(http2HostOf('a', 'b')).to.equal('a Host other than :authority')
    expect(http2HostOf('a:8443', 'a')).to.equal('a Host other than :authority')
  })
})
