import { createHash, getHashes } from 'node:crypto'
import { expect } from 'chai'
import { MalformedError } from 'sluice/sdk/media'
import { digestAuthorization, parseDigestChallenge } from './digest.ts'

const MUFASA = { username: 'Mufasa', method: 'GET', uri: '/dir/index.html', count: 1 }
const NONCE_2617 = 'dcd98b7102dd2f0e8b11d0f600bfb0c093'
const RFC_7616 =
  'realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", qop="auth, auth-int"'
const CNONCE_7616 = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ'

describe('the digest of a device', () => {
  const cases = [
    {
      what: 'RFC 2617 3.5',
      challenge: `Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="${NONCE_2617}", opaque="5ccc"`,
      answer: { ...MUFASA, password: 'Circle Of Life', clientNonce: '0a4f113b' },
      response: '6629fae49393a05397450978507c4ef1',
    },
    {
      what: 'RFC 2069 2.4, as its errata have it',
      challenge: `Digest realm="testrealm@host.com", nonce="${NONCE_2617}"`,
      answer: { ...MUFASA, password: 'CircleOfLife' },
      response: '1949323746fe6a43ef61f9606e7febea',
    },
    {
      what: 'RFC 7616 3.9.1 by MD5',
      challenge: `Digest ${RFC_7616}, algorithm=MD5`,
      answer: { ...MUFASA, password: 'Circle of Life', clientNonce: CNONCE_7616 },
      response: '8ca523f5e9506fed4657c9700eebdbec',
    },
    {
      what: 'RFC 7616 3.9.1 by SHA-256',
      challenge: `Digest ${RFC_7616}, algorithm=SHA-256`,
      answer: { ...MUFASA, password: 'Circle of Life', clientNonce: CNONCE_7616 },
      response: '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
    },
  ]
  for (const { what, challenge, answer, response } of cases) {
    it(`is that of ${what}`, () => {
      expect(digestAuthorization(parseDigestChallenge(challenge), answer)).to.include(`response="${response}"`)
    })
  }

  it('states what the server needs', () => {
    const challenge = parseDigestChallenge('Digest realm="a \\"b\\"", nonce=plain, qop=auth, opaque="x", stale=TRUE')
    expect(challenge).to.include({ realm: 'a "b"', nonce: 'plain', stale: true, hasQop: true, algorithm: 'MD5' })
    const text = digestAuthorization(challenge, { ...MUFASA, password: '', count: 17 })
    expect(text).to.include('opaque="x"').and.include('nc=00000011').and.include('qop=auth').and.include('cnonce="')
  })

  it('is made by SM3 where there is one', function () {
    if (!getHashes().includes('sm3')) this.skip()
    const hash = (text: string) => createHash('sm3').update(text).digest('hex')
    const text = digestAuthorization(parseDigestChallenge('Digest realm="r", nonce="n", algorithm=SM3'), {
      ...MUFASA,
      password: 'p',
    })
    expect(text).to.include(`response="${hash(`${hash('Mufasa:r:p')}:n:${hash('GET:/dir/index.html')}`)}"`)
  })

  for (const value of [
    'Basic realm="a"',
    'Digest realm="a"',
    'Digest realm="a", nonce="b", algorithm=MD4',
    'Digest realm="a", nonce="b", qop="auth-int"',
    '',
  ]) {
    it(`can't answer "${value}"`, () => expect(() => parseDigestChallenge(value)).to.throw(MalformedError))
  }
})
