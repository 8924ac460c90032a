import { expect } from 'chai'
import fc from 'fast-check'
import { CookieJar } from './cookie-jar.ts'

const NOW_MS = Date.UTC(2030, 0, 1)
const SOURCE = 'http://a.example.com/tv/master.m3u8'

/** The cookies that go to an address after the source has set some. */
function sent(setCookies: readonly string[], to: string, from = SOURCE, laterMs = 0): string | undefined {
  let nowMs = NOW_MS
  const jar = new CookieJar(() => nowMs)
  jar.take(new URL(from), setCookies)
  nowMs += laterMs
  return jar.cookieFor(new URL(to))
}

describe('CookieJar', () => {
  const cases: readonly (readonly [set: string, to: string, cookie: string | undefined, from?: string])[] = [
    // Host and domain (5.1.3, 5.3)
    ['a=1', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1', 'https://a.example.com:8443/tv/x', 'a=1'],
    ['a=1', 'http://example.com/tv/x', undefined],
    ['a=1', 'http://b.a.example.com/tv/x', undefined],
    ['a=1; Domain=example.com', 'http://cdn.example.com/tv/x', 'a=1'],
    ['a=1; Domain=.Example.COM', 'http://example.com/tv/x', 'a=1'],
    ['a=1; Domain=example.com', 'http://notexample.com/tv/x', undefined],
    ['a=1; Domain=a.example.com', 'http://b.a.example.com/tv/x', 'a=1'],
    ['a=1; Domain=b.a.example.com', 'http://b.a.example.com/tv/x', undefined],
    ['a=1; Domain=other.com', 'http://other.com/tv/x', undefined],
    ['a=1; Domain=com', 'http://other.com/tv/x', undefined],
    ['a=1; Domain=', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Domain=localhost', 'http://localhost/tv/x', 'a=1', 'http://localhost/tv/m'],
    ['a=1; Domain=0.0.1', 'http://127.0.0.1/tv/x', undefined, 'http://127.0.0.1/tv/m'],
    ['a=1; Domain=127.0.0.1', 'http://127.0.0.1/tv/x', 'a=1', 'http://127.0.0.1/tv/m'],
    ['a=1', 'http://[::1]/tv/x', 'a=1', 'http://[::1]/tv/m'],
    // Path (5.1.4)
    ['a=1', 'http://a.example.com/tv', 'a=1'],
    ['a=1', 'http://a.example.com/', undefined],
    ['a=1', 'http://a.example.com/tvs/x', undefined],
    ['a=1; Path=/', 'http://a.example.com/', 'a=1'],
    ['a=1; Path=/tv/', 'http://a.example.com/tv', undefined],
    ['a=1; Path=/seg', 'http://a.example.com/seg/1.ts', 'a=1'],
    ['a=1; Path=seg', 'http://a.example.com/tv/1.ts', 'a=1'],
    ['a=1; Path=/x; Path=', 'http://a.example.com/tv/1.ts', 'a=1'],
    ['a=1', 'http://a.example.com/x', 'a=1', 'http://a.example.com/m'],
    // Secure
    ['a=1; secure', 'http://a.example.com/tv/x', undefined],
    ['a=1; Secure; HttpOnly; SameSite=None', 'https://a.example.com/tv/x', 'a=1'],
    ['a=1; Secure', 'wss://a.example.com/tv/x', 'a=1'],
    // Expiry
    ['a=1; Max-Age=1', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Max-Age=0', 'http://a.example.com/tv/x', undefined],
    ['a=1; Max-Age=-5', 'http://a.example.com/tv/x', undefined],
    ['a=1; Max-Age=x', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Expires=Tue, 01 Jan 2030 00:00:01 GMT', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Expires=Tue, 01 Jan 2030 00:00:00 GMT', 'http://a.example.com/tv/x', undefined],
    ['a=1; Expires=Thursday, 01-Jan-70 00:00:00 GMT', 'http://a.example.com/tv/x', undefined],
    ['a=1; Expires=Tue Dec  4 9:5:07 2029', 'http://a.example.com/tv/x', undefined],
    ['a=1; Expires=1 feb 2030 00:00:00', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Expires=30 Feb 2029 00:00:00', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Expires=1 Jan 1600 00:00:00', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Expires=1 Jan 2029 24:00:00', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Expires=never', 'http://a.example.com/tv/x', 'a=1'],
    ['a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'http://a.example.com/tv/x', 'a=1'],
    // Name and value (5.2)
    [' a = "1, 2" ; x', 'http://a.example.com/tv/x', 'a="1, 2"'],
    ['a=b=c', 'http://a.example.com/tv/x', 'a=b=c'],
    ['a=', 'http://a.example.com/tv/x', 'a='],
    ['=1', 'http://a.example.com/tv/x', undefined],
    ['a', 'http://a.example.com/tv/x', undefined],
    ['a=1\r\nx: y', 'http://a.example.com/tv/x', undefined],
    [`a=${'1'.repeat(4096)}`, 'http://a.example.com/tv/x', undefined],
  ]
  for (const [set, to, cookie, from] of cases) {
    it(`sends ${cookie === undefined ? 'nothing' : 'it'} to ${to} after ${JSON.stringify(set.slice(0, 70))}`, () => {
      expect(sent([set], to, from)).to.equal(cookie)
    })
  }

  it('forgets what has expired meanwhile', () => {
    expect(sent(['a=1; Max-Age=60', 'b=2'], SOURCE, SOURCE, 59_999)).to.equal('a=1; b=2')
    expect(sent(['a=1; Max-Age=60', 'b=2'], SOURCE, SOURCE, 60_000)).to.equal('b=2')
  })

  it('replaces and removes cookies of the same name, domain and path, and keeps the others', () => {
    expect(sent(['a=1', 'a=2'], SOURCE)).to.equal('a=2')
    expect(sent(['a=1', 'a=2; Path=/', 'a=; Max-Age=0; Path=/'], SOURCE)).to.equal('a=1')
  })

  it('sends those of longer paths first', () => {
    expect(sent(['a=1; Path=/', 'b=2; Path=/tv', 'c=3; Path=/'], SOURCE)).to.equal('b=2; a=1; c=3')
  })

  it('sends what is given beside those that were set, as far as none of the same name was', () => {
    const jar = new CookieJar(() => NOW_MS)
    const url = new URL(SOURCE)
    expect(jar.cookieFor(url, ' a=0;b ; ')).to.equal('a=0; b')
    jar.take(url, ['a=1'])
    expect(jar.cookieFor(url, 'a=0; b=2')).to.equal('b=2; a=1')
  })

  it('keeps a hundred at most: those that were used lately', () => {
    const jar = new CookieJar(() => NOW_MS)
    const url = new URL(SOURCE)
    jar.take(url, ['session=1; Path=/tv/master.m3u8'])
    for (let at = 0; at < 150; at += 1) {
      jar.take(url, [`c${at}=1; Path=/elsewhere`])
      expect(jar.cookieFor(url)).to.equal('session=1')
    }
    const kept = jar.cookieFor(new URL('http://a.example.com/elsewhere'))?.split('; ') ?? []
    expect(kept).to.have.length(99)
    expect(kept.at(-1)).to.equal('c149=1')
  })

  it('takes any text', () => {
    const piece = fc.constantFrom(
      'a',
      '=',
      ';',
      ' ',
      'Max-Age=1',
      'Expires=',
      'Path=/',
      'Domain=',
      '.',
      ',',
      '1 Jan',
      '\0',
    )
    const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(fc.oneof(text, fc.string()), (text) => {
        const value = sent([text], SOURCE) ?? ''
        expect(value).not.to.match(/[\0\r\n]/u)
      }),
    )
  })
})
