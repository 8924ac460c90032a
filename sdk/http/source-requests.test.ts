import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { Dialer } from '../stream/dialer.ts'
import { createNonce } from './auth/nonce.ts'
import { checkAuthorization, createChallenges, parseAuthorization } from './auth/server-authorization.ts'
import { SourceRequests } from './source-requests.ts'

type Answer = { readonly status?: number; readonly headers?: Record<string, string | string[]> }
type Seen = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string }

const dial: Dialer = {
  proxied: false,
  async connect({ host, port }) {
    const socket = connect({ host, port })
    await once(socket, 'connect')
    return socket
  },
  checkAddress() {},
}

const KEY = Buffer.alloc(32, 7)
const messageOf = (failing: Promise<unknown>) => failing.then(String, ({ message }: Error) => message)

describe('SourceRequests', () => {
  const seen: Seen[] = []
  let stop: AbortController
  let server: Server
  /** Another origin, with the same answers. */
  let other: Server
  let answer: (request: Seen) => Answer | undefined

  before(async () => {
    const listen = () => createServer((request, response) => void respond(request, response))
    ;[server, other] = [listen(), listen()]
    await Promise.all([server, other].map((each) => once(each.listen(0, '127.0.0.1'), 'listening')))
  })
  beforeEach(() => {
    seen.length = 0
    stop = new AbortController()
    answer = () => undefined
  })
  afterEach(() => stop.abort())
  after(() => {
    for (const each of [server, other]) {
      each.closeAllConnections()
      each.close()
    }
  })

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url, headers } = request
    seen.push({ method, url, headers, body: await text(request) })
    const { status = 200, headers: sent = {} } = answer(seen.at(-1)!) ?? {}
    response.writeHead(status, sent).end()
  }

  function address(path: string, { user = '', of = server, host = '127.0.0.1' } = {}): string {
    return `http://${user}${host}:${(of.address() as AddressInfo).port}${path}`
  }

  function requests(url: string, header: Record<string, readonly string[]> = {}): SourceRequests {
    return new SourceRequests({ url, header, dial }, stop.signal)
  }

  const said = (name: string) => seen.map(({ url, headers }) => [url, headers[name]])

  describe('with cookies', () => {
    it('sends what a playlist sets to what that leads to', async () => {
      answer = ({ url }) => (url === '/a/master.m3u8' ? { headers: { 'set-cookie': 'session=1; Path=/a/' } } : {})
      const source = requests(address('/a/master.m3u8'))
      await source.get()
      for (const path of ['/a/1.ts', '/b/1.ts']) await source.get({ url: new URL(address(path)) })
      await source.get({ url: new URL(address('/a/1.ts', { host: 'localhost' })) })
      expect(said('cookie')).to.eql([
        ['/a/master.m3u8', undefined],
        ['/a/1.ts', 'session=1'],
        ['/b/1.ts', undefined],
        ['/a/1.ts', undefined],
      ])
    })

    it('takes those of redirects and refusals, as servers that look whether cookies are sent back', async () => {
      answer = ({ url, headers }) => {
        if (headers.cookie?.includes('first=1') !== true) {
          return { status: 302, headers: { location: url!, 'set-cookie': ['first=1', 'more="2"'] } }
        }
        const headersOf401 = { 'www-authenticate': 'Basic realm="a"', 'set-cookie': 'second=1' }
        return headers.cookie.includes('second=1') ? {} : { status: 401, headers: headersOf401 }
      }
      await requests(address('/a', { user: 'a:b@' })).get()
      expect(seen.at(-1)?.headers.cookie).to.equal('first=1; more="2"; second=1')
    })

    it('sends those of the rule to its own server alone, until that sets others of the name', async () => {
      answer = ({ url }) => (url === '/set' ? { headers: { 'set-cookie': 'a=new' } } : {})
      const source = requests(address('/set'), { cookie: ['a=old', 'b=1'] })
      await source.get()
      await source.get()
      await source.get({ url: new URL(address('/x', { of: other })) })
      expect(said('cookie')).to.eql([
        ['/set', 'a=old; b=1'],
        ['/set', 'b=1; a=new'],
        ['/x', 'a=new'],
      ])
    })
  })

  describe('with a name and a password', () => {
    const BASIC = { status: 401, headers: { 'www-authenticate': 'Basic realm="a"' } }
    const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`

    /** Lets in who answers one of the challenges, each of whose nonces is good for so many requests. */
    function digestServer(
      challenges: (nonce: string) => string[],
      { user = 'user', password = 'p@ss', uses = 99 } = {},
    ) {
      const nonces = new Map<string, number>()
      const challenge = (stale: boolean) => {
        const nonce = createNonce(KEY, Date.now(), Buffer.from(`${nonces.size}`.padStart(8)))
        nonces.set(nonce, 0)
        return {
          status: 401,
          headers: { 'www-authenticate': [`${challenges(nonce).join(', ')}${stale ? ', stale=true' : ''}`] },
        }
      }
      answer = ({ method = '', url = '', headers }) => {
        const value = headers.authorization
        if (value === undefined) return challenge(false)
        const authorization = parseAuthorization(Buffer.from(value, 'latin1').toString('utf8'))
        const account = { realm: 'r', username: user, password, nonceKey: KEY }
        const request = { method, isFor: (uri: string) => uri === url }
        if (checkAuthorization(authorization, request, account, Date.now()) !== 'granted') return challenge(false)
        if (authorization.scheme === 'basic') return {}
        const count = (nonces.get(authorization.nonce) ?? 0) + 1
        nonces.set(authorization.nonce, count)
        if (authorization.qop !== undefined && Number.parseInt(authorization.qop.nc, 16) !== count)
          return { status: 400 }
        return count > uses ? challenge(true) : {}
      }
    }

    it('says them when it is asked, and from then on', async () => {
      answer = ({ headers }) => (headers.authorization === basic('user:p@ss') ? {} : BASIC)
      const source = requests(address('/a', { user: 'user:p%40ss@' }))
      await source.get()
      await source.get({ url: new URL('/b', source.url) })
      expect(said('authorization')).to.eql([
        ['/a', undefined],
        ['/a', basic('user:p@ss')],
        ['/b', basic('user:p@ss')],
      ])
    })

    it('says them to servers that forget to say how they ask', async () => {
      answer = ({ headers }) => (headers.authorization === undefined ? { status: 401 } : {})
      await requests(address('/', { user: 'a:b@' })).get()
      expect(seen.at(-1)?.headers.authorization).to.equal(basic('a:b'))
    })

    const offers: readonly (readonly [string, (nonce: string) => string[]])[] = [
      ['Digest with MD5', (nonce) => [`Digest realm="r", nonce="${nonce}"`]],
      ['Digest with MD5 and qop', (nonce) => [`Digest realm="r", qop="auth,auth-int", nonce="${nonce}", opaque="o"`]],
      ['Digest with SHA-256', (nonce) => [`Digest realm="r", nonce="${nonce}", algorithm=SHA-256, qop="auth"`]],
      ['several in one header', (nonce) => ['Negotiate', ...createChallenges('r', nonce, false), 'Bearer realm="x"']],
      ['one that is not known, and Basic', () => ['NTLM', 'Basic realm="r"']],
    ]
    for (const [name, challenges] of offers) {
      it(`answers ${name}`, async () => {
        digestServer(challenges)
        const source = requests(address('/a/b?x=1&y=%20', { user: 'user:p%40ss@' }))
        expect((await source.get()).status).to.equal(200)
        expect((await source.get({ url: new URL('/c', source.url) })).status).to.equal(200)
        expect(seen).to.have.length(3)
      })
    }

    it('answers anew where a nonce is too old, and does not ask with it again', async () => {
      digestServer((nonce) => [`Digest realm="r", qop="auth", nonce="${nonce}"`], { uses: 2 })
      const source = requests(address('/a', { user: 'user:p%40ss@' }))
      for (let times = 0; times < 4; times += 1) await source.get()
      expect(seen.map(({ headers }) => headers.authorization !== undefined)).to.eql([
        false,
        true,
        true,
        true,
        true,
        true,
      ])
    })

    it('gives up on a server that finds every nonce too old', async () => {
      const stale = () => ({ 'www-authenticate': `Digest realm="r", nonce="${seen.length}", stale=TRUE` })
      answer = () => ({ status: 401, headers: stale() })
      expect(await messageOf(requests(address('/a', { user: 'a:b@' })).get())).to.match(/answered 401/u)
      expect(seen).to.have.length(4)
    })

    it('sends names of other letters as UTF-8', async () => {
      digestServer((nonce) => [`Digest realm="r", nonce="${nonce}"`], { user: 'пароль ß"', password: '密碼' })
      await requests(address('/', { user: `${encodeURIComponent('пароль ß"')}:${encodeURIComponent('密碼')}@` })).get()
    })

    it('sends the content of a request with the answer, too', async () => {
      digestServer((nonce) => [`Digest realm="r", nonce="${nonce}"`])
      const content = { type: 'application/sdp', body: 'v=0' }
      const source = requests(address('/whip', { user: 'user:p%40ss@' }))
      const { status } = await source.ask({ method: 'POST', content })
      expect(status).to.equal(200)
      const sent = seen.map(({ method, headers, body }) => [method, headers['content-type'], body])
      expect(sent).to.eql([
        ['POST', 'application/sdp', 'v=0'],
        ['POST', 'application/sdp', 'v=0'],
      ])
    })

    it('says what is wrong, twice at most, and nothing secret', async () => {
      digestServer((nonce) => createChallenges('r', nonce, false))
      const wrong = await messageOf(requests(address('/a', { user: 'user:wrongword@' })).get())
      expect(wrong)
        .to.match(/answered 401 for .*: it does not take this name and password$/u)
        .and.not.include('wrongword')
      expect(seen).to.have.length(2)
      expect(await messageOf(requests(address('/a')).get())).to.match(
        /say them in the address, http:\/\/name:password@…$/u,
      )
      answer = () => BASIC
      await messageOf(requests(address('/a', { user: 'a:b@' })).get())
      expect(seen).to.have.length(5)
    })

    it('gives them to no other origin, wherever that stands and whatever it asks', async () => {
      const away = address('/away', { of: other })
      answer = ({ url }) => (url === '/' ? { status: 307, headers: { location: away } } : BASIC)
      const source = requests(address('/', { user: 'user:p%40ss@' }), { 'x-key': ['k'] })
      await messageOf(source.get())
      await messageOf(source.get({ url: new URL(away) }))
      await messageOf(source.get({ url: new URL(address('/b', { host: 'localhost' })) }))
      expect(said('authorization').map(([, value]) => value)).to.eql([undefined, undefined, undefined, undefined])
      expect(said('x-key').every(([, value]) => value === 'k')).to.equal(true)
    })

    it('says those of an address that it is led to, where that asks, and none of the rule', async () => {
      const away = address('/away', { of: other, user: 'guest:1@' })
      answer = ({ url, headers }) => {
        if (url === '/') return { status: 302, headers: { location: away } }
        return headers.authorization === basic('guest:1') ? {} : BASIC
      }
      const source = requests(address('/'), { authorization: ['Bearer key'] })
      expect((await source.get()).url).to.equal(address('/away', { of: other }))
      expect(said('authorization').map(([, value]) => value)).to.eql(['Bearer key', undefined, basic('guest:1')])
    })
  })

  describe('with redirects', () => {
    const leads = (status: number, location: string): Answer => ({ status, headers: { location } })
    const content = { type: 'application/sdp', body: 'v=0' }

    for (const status of [301, 302, 307, 308]) {
      it(`asks as before after ${status}`, async () => {
        answer = ({ url }) => (url === '/' ? leads(status, 'b') : {})
        await requests(address('/')).ask({ method: 'POST', content })
        expect(seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).to.eql(['POST / v=0', 'POST /b v=0'])
      })
    }

    it('asks for what 303 names, with nothing of the request', async () => {
      answer = ({ url }) => (url === '/' ? leads(303, '/b') : {})
      await requests(address('/')).ask({ method: 'POST', content })
      const { method, body, headers } = seen.at(-1)!
      expect([method, body, headers['content-type']]).to.eql(['GET', '', undefined])
    })

    it('asks for the part that was asked for', async () => {
      answer = ({ url }) => (url === '/' ? leads(302, '/b') : {})
      await requests(address('/')).get({ span: { first: 2, last: 5 } })
      expect(said('range')).to.eql([
        ['/', 'bytes=2-5'],
        ['/b', 'bytes=2-5'],
      ])
    })

    it('reads addresses in UTF-8 as they are meant', async () => {
      answer = ({ url }) => (url === '/' ? leads(302, Buffer.from('/电视?名=1#x').toString('latin1')) : {})
      await requests(address('/')).get()
      expect(decodeURI(seen.at(-1)?.url ?? '')).to.equal('/电视?名=1')
    })

    it('goes no rounds, and takes a redirect to nowhere as it is', async () => {
      answer = () => leads(302, '/')
      expect(await messageOf(requests(address('/')).get())).to.equal('there are more than 8 redirects')
      expect(seen).to.have.length(9)
      answer = () => ({ status: 302 })
      expect(await messageOf(requests(address('/')).get())).to.match(/answered 302/u)
    })
  })
})
