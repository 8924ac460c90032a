import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '../../../test/support/soak.ts'
import { MalformedError } from '../../media/errors.ts'
import { parseChallenges } from './challenge.ts'
import { ClientAuthorization } from './client-authorization.ts'
import { DIGEST_ALGORITHMS, digestResponse, type DigestInput } from './digest.ts'
import { createNonce, isFreshNonce, NONCE_LIFETIME_MS } from './nonce.ts'
import {
  checkAuthorization,
  createChallenges,
  createDigestChallenge,
  parseAuthorization,
  type Account,
} from './server-authorization.ts'

const KEY = Buffer.alloc(32, 7)
const NOW_MS = 1_800_000_000_000
const RANDOM = Buffer.from('0123456789abcdef', 'hex')
const NONCE = createNonce(KEY, NOW_MS, RANDOM)
const ACCOUNT: Account = { realm: 'sluice', username: 'user', password: 'p@ss', nonceKey: KEY }
const URL_A = 'rtsp://example.com/live/a'
const CNONCE = '0a4f113b0a4f113b'

const RFC_7616 = {
  username: 'Mufasa',
  realm: 'http-auth@example.org',
  password: 'Circle of Life',
  method: 'GET',
  uri: '/dir/index.html',
  nonce: '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v',
  qop: { nc: '00000001', cnonce: 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ' },
}

const digests: { name: string; input: DigestInput; response: string }[] = [
  {
    name: 'RFC 7616 3.9.1 with MD5',
    input: { ...RFC_7616, algorithm: 'MD5' },
    response: '8ca523f5e9506fed4657c9700eebdbec',
  },
  {
    name: 'RFC 7616 3.9.1 with SHA-256',
    input: { ...RFC_7616, algorithm: 'SHA-256' },
    response: '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1',
  },
  {
    name: 'SM3, by its test vector of each hash',
    input: { ...RFC_7616, algorithm: 'SM3', qop: undefined },
    response: sm3(
      `${sm3('Mufasa:http-auth@example.org:Circle of Life')}:${RFC_7616.nonce}:${sm3('GET:/dir/index.html')}`,
    ),
  },
  {
    name: 'RFC 2617 3.5',
    input: {
      algorithm: 'MD5',
      username: 'Mufasa',
      realm: 'testrealm@host.com',
      password: 'Circle Of Life',
      method: 'GET',
      uri: '/dir/index.html',
      nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
      qop: { nc: '00000001', cnonce: '0a4f113b' },
    },
    response: '6629fae49393a05397450978507c4ef1',
  },
]

const challenges: { name: string; values: string[]; parsed: [string, Record<string, string>][] }[] = [
  {
    name: 'several in one header',
    values: ['Digest realm="a, b", nonce="1=", qop="auth,auth-int", Negotiate, BASIC  Realm = "c \\"d\\""'],
    parsed: [
      ['digest', { realm: 'a, b', nonce: '1=', qop: 'auth,auth-int' }],
      ['negotiate', {}],
      ['basic', { realm: 'c "d"' }],
    ],
  },
  {
    name: 'several headers, without quotes, with blanks and doubles',
    values: ['Digest  realm=a,nonce=b , ,realm=c', '', 'Basic realm="unclosed'],
    parsed: [
      ['digest', { realm: 'a', nonce: 'b' }],
      ['basic', { realm: 'unclosed' }],
    ],
  },
  { name: 'parameters of no scheme', values: ['realm="a", nonce = "b"'], parsed: [] },
]

const malformed: { name: string; text: string; message: string }[] = [
  { name: 'nothing', text: '', message: 'neither' },
  { name: 'another scheme', text: 'Bearer topsecret', message: 'neither' },
  { name: 'Basic without a colon', text: `Basic ${Buffer.from('topsecret').toString('base64')}`, message: 'colon' },
  { name: 'Digest without a nonce', text: 'Digest username="topsecret", realm="a"', message: 'without nonce' },
  { name: 'another algorithm', text: 'Digest algorithm=MD5-sess, nonce="topsecret"', message: 'algorithm' },
  {
    name: 'auth-int',
    text: 'Digest username="a", realm="a", nonce="a", uri="topsecret", response="a", qop=auth-int',
    message: 'qop',
  },
  {
    name: 'qop without cnonce',
    text: 'Digest username="a", realm="a", nonce="a", uri="topsecret", response="a", qop=auth, nc=00000001',
    message: 'without cnonce',
  },
  {
    name: 'a broken nc',
    text: 'Digest username="a", realm="a", nonce="a", uri="topsecret", response="a", qop=auth, nc=1, cnonce="a"',
    message: 'nc',
  },
]

function requestOf(method: string, uri: string) {
  return { method, isFor: (signedUri: string) => signedUri === uri }
}

/** What a client answers to challenges, and what the server makes of it. */
function resultOf(
  values: readonly string[],
  change: Partial<Account & { method: string; uri: string; nowMs: number }>,
) {
  const client = new ClientAuthorization(ACCOUNT.username, ACCOUNT.password)
  expect(client.challenge(values)).to.equal(true)
  const authorization = parseAuthorization(client.authorize('DESCRIBE', URL_A, CNONCE)!)
  const request = requestOf(change.method ?? 'DESCRIBE', change.uri ?? URL_A)
  return checkAuthorization(authorization, request, { ...ACCOUNT, ...change }, change.nowMs ?? NOW_MS)
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

describe('digestResponse', () => {
  for (const { name, input, response } of digests) {
    it(`is the one of ${name}`, () => {
      expect(digestResponse(input)).to.equal(response)
    })
  }
})

describe('parseChallenges', () => {
  for (const { name, values, parsed } of challenges) {
    it(`takes ${name}`, () => {
      const found = parseChallenges(values)
      expect(found.map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])).to.deep.equal(parsed)
    })
  }
})

describe('createChallenges', () => {
  it('offers SHA-256, MD5 and Basic in the order that ffmpeg and GStreamer survive', () => {
    expect(createChallenges('a "b"', 'n', true)).to.deep.equal([
      String.raw`Digest realm="a \"b\"", nonce="n", stale=true, algorithm=SHA-256`,
      String.raw`Digest realm="a \"b\"", nonce="n", stale=true, algorithm=MD5`,
      String.raw`Basic realm="a \"b\""`,
    ])
    expect(createChallenges('a', 'n', false)[0]).to.equal('Digest realm="a", nonce="n", algorithm=SHA-256')
    expect(createDigestChallenge('MD5', 'a', 'n', true)).to.equal(
      'Digest realm="a", nonce="n", stale=true, algorithm=MD5',
    )
  })
})

describe('createNonce', () => {
  it('holds for its time, with its key', () => {
    expect(isFreshNonce(NONCE, KEY, NOW_MS)).to.equal(true)
    expect(isFreshNonce(NONCE, KEY, NOW_MS + NONCE_LIFETIME_MS)).to.equal(true)
    expect(isFreshNonce(NONCE, KEY, NOW_MS + NONCE_LIFETIME_MS + 1)).to.equal(false)
    expect(isFreshNonce(NONCE, KEY, NOW_MS - 1)).to.equal(false)
    expect(isFreshNonce(NONCE, Buffer.alloc(32, 8), NOW_MS)).to.equal(false)
    expect(createNonce(KEY, NOW_MS, Buffer.alloc(8))).not.to.equal(NONCE)
  })

  it('holds in no other form', () => {
    for (let at = 0; at < NONCE.length; at += 1) {
      const changed = `${NONCE.slice(0, at)}${NONCE[at] === '0' ? '1' : '0'}${NONCE.slice(at + 1)}`
      expect(isFreshNonce(changed, KEY, NOW_MS), `changed at ${at}`).to.equal(false)
    }
    for (const nonce of ['', 'abc', `${NONCE}0`, NONCE.slice(1)]) {
      expect(isFreshNonce(nonce, KEY, NOW_MS)).to.equal(false)
    }
  })
})

describe('checkAuthorization', () => {
  const [sha256, md5, basic] = createChallenges(ACCOUNT.realm, NONCE, false) as [string, string, string]
  const offers = [
    { name: 'SHA-256', values: [sha256] },
    { name: 'MD5', values: [md5] },
    { name: 'MD5 with qop', values: [`${md5}, qop="auth-int, auth"`] },
    { name: 'SHA-256 with qop', values: [`${sha256}, qop="auth"`] },
    { name: 'MD5 without its name', values: [md5.replace(', algorithm=MD5', '')] },
  ]

  for (const { name, values } of offers) {
    it(`grants and denies with ${name}`, () => {
      expect(resultOf(values, {})).to.equal('granted')
      expect(resultOf(values, { nowMs: NOW_MS + NONCE_LIFETIME_MS + 1 })).to.equal('stale')
      expect(resultOf(values, { nonceKey: Buffer.alloc(32) })).to.equal('stale')
      expect(resultOf(values, { password: 'p@sS', nonceKey: Buffer.alloc(32) })).to.equal('denied')
      expect(resultOf(values, { username: 'User' })).to.equal('denied')
      expect(resultOf(values, { realm: 'other' })).to.equal('denied')
      expect(resultOf(values, { method: 'SETUP' })).to.equal('denied')
      expect(resultOf(values, { uri: 'rtsp://example.com/live/b' })).to.equal('denied')
      expect(resultOf(values, { uri: '*' })).to.equal('denied')
    })
  }

  it('grants and denies with Basic', () => {
    expect(resultOf([basic], {})).to.equal('granted')
    expect(resultOf([basic], { password: 'p@ss ' })).to.equal('denied')
    expect(resultOf([basic], { username: 'use' })).to.equal('denied')
  })

  it('takes a password with a colon and other than ASCII', () => {
    const account = { ...ACCOUNT, username: 'jürgen', password: 'пароль:ß€' }
    for (const values of [[sha256], [md5], [basic]]) {
      const client = new ClientAuthorization(account.username, account.password)
      client.challenge(values)
      const authorization = parseAuthorization(client.authorize('PLAY', URL_A, CNONCE)!)
      const request = requestOf('PLAY', URL_A)
      expect(checkAuthorization(authorization, request, account, NOW_MS)).to.equal('granted')
    }
  })
})

describe('parseAuthorization', () => {
  for (const { name, text, message } of malformed) {
    it(`refuses ${name}, without showing it`, () => {
      expect(() => parseAuthorization(text))
        .to.throw(MalformedError, message)
        .that.satisfies((error: Error) => !error.message.includes('topsecret'))
    })
  }

  it('parses or refuses any text', () => {
    const piece = fc.constantFrom('Digest ', 'Basic ', 'nonce', 'uri', 'qop', '=', '"', ',', '\\', ' ', 'auth', 'dTpw')
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    )
    fc.assert(
      fc.property(text, (text) => {
        try {
          checkAuthorization(parseAuthorization(text), requestOf('PLAY', text), ACCOUNT, NOW_MS)
        } catch (error) {
          expect(error).to.be.instanceOf(MalformedError)
        }
        new ClientAuthorization('a', 'b').challenge([text, text])
      }),
      { numRuns: rounds(1000) },
    )
  })
})

describe('ClientAuthorization', () => {
  const authorize = (...values: string[]): string | undefined => {
    const client = new ClientAuthorization('Mufasa', 'Circle of Life')
    client.challenge(values)
    return client.authorize('GET', '/dir/index.html', RFC_7616.qop.cnonce)
  }
  const start = `Digest realm="${RFC_7616.realm}", nonce="${RFC_7616.nonce}"`

  it('answers as RFC 7616 3.9.1 does, SHA-256 before MD5', () => {
    const tail = 'qop="auth, auth-int", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"'
    const value = authorize(`${start}, algorithm=MD5, ${tail}`, `${start}, algorithm=SHA-256, ${tail}`)
    expect(value).to.equal(
      'Digest username="Mufasa", realm="http-auth@example.org", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", ' +
        'uri="/dir/index.html", response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1", ' +
        'algorithm=SHA-256, opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", qop=auth, nc=00000001, ' +
        'cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"',
    )
  })

  it('takes the strongest that is offered', () => {
    const offers = DIGEST_ALGORITHMS.map((algorithm) => `${start}, qop="auth", algorithm=${algorithm.toLowerCase()}`)
    for (const [at, algorithm] of DIGEST_ALGORITHMS.entries()) {
      const known = offers.slice(at).toReversed()
      expect(authorize('Basic realm="a"', ...known)).to.include(`algorithm=${algorithm},`)
    }
  })

  it('makes one password of a session with -sess, by the first nonce of the client', () => {
    const client = new ClientAuthorization(RFC_7616.username, RFC_7616.password)
    client.challenge([`${start}, algorithm=MD5-sess, qop="auth"`])
    const [first, second] = ['GET', 'GET'].map((method, at) => client.authorize(method, RFC_7616.uri, `cnonce-${at}`)!)
    expect([first, second].map((value) => /cnonce="([^"]*)"/u.exec(value!)?.[1])).to.eql(['cnonce-0', 'cnonce-0'])
    const user = md5(`${md5('Mufasa:http-auth@example.org:Circle of Life')}:${RFC_7616.nonce}:cnonce-0`)
    const response = md5(`${user}:${RFC_7616.nonce}:00000002:cnonce-0:auth:${md5(`GET:${RFC_7616.uri}`)}`)
    expect(second).to.include(`response="${response}"`)
    expect(authorize(`${start}, algorithm=MD5-sess`)).to.equal(undefined)
  })

  it('goes on with the nonce that a server gives with an answer', () => {
    const client = new ClientAuthorization('a', 'b')
    client.inform('nextnonce="too early"')
    client.challenge([`${start}, qop=auth`])
    client.authorize('GET', '/', CNONCE)
    client.inform('rspauth="00", nextnonce="next, one"')
    expect(client.authorize('GET', '/', CNONCE)).to.match(/nonce="next, one", .*nc=00000001/u)
    client.inform('qop=auth')
    expect(client.authorize('GET', '/', CNONCE)).to.match(/nonce="next, one", .*nc=00000002/u)
  })

  it('counts the requests of a nonce', () => {
    const client = new ClientAuthorization('a', 'b')
    expect(client.authorize('PLAY', URL_A, CNONCE)).to.equal(undefined)
    client.challenge([`${start}, qop=auth`])
    client.authorize('PLAY', URL_A, CNONCE)
    expect(client.authorize('PLAY', URL_A, CNONCE)).to.match(/nc=00000002/u)
    client.challenge([`${start}, qop=auth`])
    expect(client.authorize('PLAY', URL_A, CNONCE)).to.match(/nc=00000001/u)
  })

  it('takes a Digest that it knows before Basic, and only then Basic', () => {
    expect(authorize(`Basic realm="a", ${start}`)).to.match(/^Digest [^]*"$/u)
    expect(authorize(`${start}, algorithm=SHA3-256, Basic realm="a"`)).to.equal('Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl')
    expect(authorize(`${start}, qop="auth-int"`, 'Basic realm="a"')).to.match(/^Basic /u)
    expect(authorize('Digest realm="a"', 'Basic')).to.match(/^Basic /u)
  })

  it('says when it knows none', () => {
    expect(new ClientAuthorization('a', 'b').challenge(['Negotiate', 'Bearer realm="a"'])).to.equal(false)
  })

  it('asks for what the server grants, whatever the texts are', () => {
    const text = fc.string({ unit: 'grapheme' })
    const name = text.filter((text) => !text.includes(':'))
    fc.assert(
      fc.property(name, text, text, fc.nat(2), (username, password, realm, scheme) => {
        const client = new ClientAuthorization(username, password)
        client.challenge([createChallenges(realm, NONCE, false)[scheme]!])
        const authorization = parseAuthorization(client.authorize('PLAY', URL_A, CNONCE)!)
        const account = { username, password, realm, nonceKey: KEY }
        expect(checkAuthorization(authorization, requestOf('PLAY', URL_A), account, NOW_MS)).to.equal('granted')
      }),
    )
  })
})

function sm3(text: string): string {
  return createHash('sm3').update(text).digest('hex')
}
