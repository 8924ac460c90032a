import { connect as connectTcp, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect } from 'chai'
import fc from 'fast-check'
import type { DialTarget } from 'sluice/sdk'
import { startMicrosocks, startTinyproxy, type ForwardProxy } from '../../../test/peers/forward-proxy.ts'
import { freePort } from '../../../test/peers/free-port.ts'
import { requirePeer } from '../../../test/peers/require-peer.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { rounds } from '../../../test/support/soak.ts'
import { NetworkList } from '../network-list.ts'
import { selfSignedCertificate } from '../self-signed.ts'
import { createDialer, type DialerOptions } from './dialer.ts'
import { DialError } from './dial-error.ts'
import { echo, leadOn, TcpServer } from './fixtures/tcp-server.ts'

const NOWHERE = new NetworkList([])
const USER = { name: 'some one', password: 's3cret:%40' }
const USER_INFO = `${encodeURIComponent(USER.name)}:${encodeURIComponent(USER.password)}@`
const SECRETS = /s3cret|some one|some%20one/u
const AGREED = 'HTTP/1.1 200 Connection established\r\n\r\n'
const SOCKS_AGREED = Buffer.from('05000001000000000000', 'hex')

function dial(proxy: string, target: DialTarget, options: Partial<DialerOptions> = {}): Promise<Socket> {
  return createDialer({ deny: NOWHERE, proxy, ...options }).connect(target)
}

/** The message of the failure, which tells no secret, nor does anything that lies behind it. */
async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    expect(error).to.be.instanceOf(DialError)
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      expect(inspect(at, { depth: 9, showHidden: true })).not.to.match(SECRETS)
    }
    return (error as Error).message
  }
  throw new Error('it did not fail')
}

/** A proxy of HTTP that does what a script says with the head of each request; unless given, it leads on to a port. */
async function httpProxy(serve: (socket: Socket, head: string) => void, isTls = false) {
  const heads: string[] = []
  const server = await TcpServer.start(
    (socket) =>
      socket.once('data', (bytes: Buffer) => {
        heads.push(bytes.toString())
        serve(socket, bytes.toString())
      }),
    isTls ? selfSignedCertificate() : undefined,
  )
  return { server, heads, url: `${isTls ? 'https' : 'http'}://${USER_INFO}127.0.0.1:${server.port}` }
}

/** Leads on to a port of this machine, whatever the client wants. */
function leadTo(port: number, early = '') {
  return (socket: Socket) => {
    const target = connectTcp({ host: '127.0.0.1', port }, () => {
      socket.write(AGREED + early)
      leadOn(socket, target)
    })
  }
}

/** A proxy of SOCKS5 that answers each message with the next bytes. */
async function socksProxy(...answers: readonly Buffer[]) {
  const server = await TcpServer.start((socket) => {
    const left = [...answers]
    socket.on('data', () => {
      const next = left.shift()
      if (next !== undefined) socket.write(next)
    })
  })
  return { server, url: `socks5://${USER_INFO}127.0.0.1:${server.port}` }
}

/** What comes, once a text was sent. */
async function said(socket: Socket, send: string, length: number): Promise<string> {
  let heard = ''
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString()))
  socket.write(send)
  await waitFor(() => heard.length >= length)
  socket.destroy()
  return heard
}

describe('a dialer with a proxy', () => {
  const peers = [
    ['tinyproxy', startTinyproxy],
    ['microsocks', startMicrosocks],
  ] as const
  for (const [name, start] of peers) {
    describe(`that is ${name}`, () => {
      let proxy: ForwardProxy
      before(async function () {
        requirePeer(this, name)
        proxy = await start()
      })

      it('connects to names and addresses, by TCP and TLS', async () => {
        const plain = await TcpServer.start(echo)
        const tls = await TcpServer.start(echo, selfSignedCertificate())
        for (const host of ['127.0.0.1', 'localhost']) {
          expect(await said(await dial(proxy.url, { host, port: plain.port }), 'you', 9)).to.equal('hello you')
          const target = { host, port: tls.port, tls: { verifyCertificate: false } }
          expect(await said(await dial(proxy.url, target), 'you', 9)).to.equal('hello you')
        }
        const verified = { host: 'localhost', port: tls.port, tls: { verifyCertificate: true } }
        expect(await failure(dial(proxy.url, verified))).to.match(/certificate is not trusted: self-signed/u)
        expect(createDialer({ deny: NOWHERE, proxy: proxy.url }).proxied).to.equal(true)
      })

      it('gives the name and password that it wants', async () => {
        const user = { name: 'someone', password: 's3cret' }
        const guarded = await start(user)
        const server = await TcpServer.start(echo)
        const target = { host: '127.0.0.1', port: server.port }
        expect(await said(await dial(guarded.url, target), 'you', 9)).to.equal('hello you')
        for (const url of [guarded.url.replace('s3cret', 's3cret2'), guarded.url.replace(/\/\/.*@/u, '//')]) {
          expect(await failure(dial(url, target))).to.match(/the proxy (?:answered 40[17]|does not lead there)/u)
        }
        await waitFor(() => server.sockets.size === 0)
      })

      it('says when the target is not there', async () => {
        const port = await freePort()
        const message = await failure(dial(proxy.url, { host: '127.0.0.1', port }))
        expect(message).to.match(/^can't connect to 127\.0\.0\.1:\d+: the proxy (?:answered 50\d|does not lead there)/u)
      })

      it('asks for no address that is denied, however it is named', async () => {
        const server = await TcpServer.start((socket) => void socket.end('allowed'))
        const hosts = ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '0.0.0.0']
        const deny = new NetworkList(['127.0.0.0/8', '::1'])
        for (const host of hosts) {
          expect(await failure(dial(proxy.url, { host, port: server.port }, { deny }))).to.match(/is denied by/u)
        }
        expect(server.accepted).to.equal(0)
        const lookup = async () => [
          { address: '127.0.0.2', family: 4 },
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]
        const some = { lookup, deny: new NetworkList(['127.0.0.2']) }
        expect(await text(await dial(proxy.url, { host: 'three.test', port: server.port }, some))).to.equal('allowed')
      })
    })
  }

  it('leaves names to the proxy, unless addresses are denied', async () => {
    const target = await TcpServer.start(echo)
    const { url, heads } = await httpProxy(leadTo(target.port))
    const lookup = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
    const socket = await dial(url, { host: 'there.test', port: 1 }, { lookup })
    expect(await said(socket, 'you', 9)).to.equal('hello you')
    const credentials = Buffer.from(`${USER.name}:${USER.password}`).toString('base64')
    expect(heads[0]).to.contain('CONNECT there.test:1 HTTP/1.1\r\n').and.to.contain(`Basic ${credentials}`)
    const deny = new NetworkList(['10.0.0.0/8'])
    const message = await failure(dial(url, { host: 'there.test', port: 1 }, { lookup, deny }))
    expect(message).to.match(
      /the name is not known \(ENOTFOUND\); it is looked up here, and not by the proxy, for global\.pull\.deny/u,
    )
    const found = async () => [{ address: '192.0.2.1', family: 4 }]
    await said(await dial(url, { host: 'there.test', port: 1 }, { lookup: found, deny }), 'you', 9)
    expect(heads[1]).to.contain('CONNECT 192.0.2.1:1 HTTP/1.1\r\n')
  })

  it('checks the certificate for the name, also where the address was looked up', async () => {
    const trusted = getCACertificates()
    const certificate = selfSignedCertificate()
    setDefaultCACertificates([...trusted, certificate.cert])
    try {
      const target = await TcpServer.start(echo, certificate)
      const { url } = await httpProxy(leadTo(target.port), true)
      const options = {
        deny: new NetworkList(['10.0.0.0/8']),
        lookup: async () => [{ address: '127.0.0.1', family: 4 }],
      }
      const tls = { verifyCertificate: true }
      // TLS to the proxy, and within it to the target.
      const socket = await dial(url, { host: 'localhost', port: target.port, tls }, options)
      expect(await said(socket, 'you', 9)).to.equal('hello you')
      const other = dial(url, { host: 'other.test', port: target.port, tls }, options)
      expect(await failure(other)).to.match(/certificate is not trusted: it is for another name$/u)
    } finally {
      setDefaultCACertificates(trusted)
    }
    const { url } = await httpProxy(leadTo(1), true)
    expect(await failure(dial(url, { host: 'a', port: 1 }))).to.match(
      /can't reach the proxy .*: its certificate is not/u,
    )
  })

  it('loses nothing of what the target says first', async () => {
    const target = await TcpServer.start(echo)
    const http = await httpProxy(leadTo(target.port, 'early '))
    expect(await said(await dial(http.url, { host: 'a', port: 1 }), 'you', 15)).to.equal('early hello you')
    const socks = await socksProxy(Buffer.from('0500', 'hex'), Buffer.concat([SOCKS_AGREED, Buffer.from('early ')]))
    const socket = await dial(socks.url, { host: 'a', port: 1 })
    for (const connection of socks.server.sockets) connection.write('more')
    await waitFor(() => socket.readableLength > 0 || socket.bytesRead >= 22)
    expect(await said(socket, '', 10)).to.equal('early more')
  })

  describe('says what is wrong', () => {
    const answers: readonly (readonly [answer: string, message: RegExp])[] = [
      ['HTTP/1.1 407 s3cret\r\n\r\n', /the proxy answered 407: it wants a name and password/u],
      ['HTTP/1.1 403 no\r\n\r\n', /the proxy answered 403: it forbids this target/u],
      ['HTTP/1.0 302 no\r\nLocation: /\r\n\r\n', /the proxy answered 302$/u],
      ['SSH-2.0-OpenSSH\r\n\r\n', /the proxy does not speak HTTP/u],
      [`HTTP/1.1 200 OK\r\na: ${'x'.repeat(20_000)}`, /the proxy does not speak HTTP/u],
    ]
    for (const [answer, message] of answers) {
      it(`when a proxy of HTTP answers ${JSON.stringify(answer.slice(0, 30))}`, async () => {
        const { url, server } = await httpProxy((socket) => void socket.resume().write(answer))
        expect(await failure(dial(url, { host: 'a', port: 1 }))).to.match(message)
        await waitFor(() => server.sockets.size === 0)
      })
    }

    const socksAnswers: readonly (readonly [what: string, answers: readonly string[]])[] = [
      ['wants what is not known', ['05ff']],
      ['does not know the password', ['0502', '0101']],
      ['forbids it', ['0500', '05020001000000000000']],
      ['does not reach it', ['0500', '05040001000000000000']],
      ['speaks something else', ['485454502f312e312034303020']],
    ]
    for (const [what, answers] of socksAnswers) {
      it(`when a proxy of SOCKS ${what}`, async () => {
        const { url, server } = await socksProxy(...answers.map((hex) => Buffer.from(hex, 'hex')))
        expect(await failure(dial(url, { host: 'a', port: 1 }))).to.match(/: the proxy does not lead there: /u)
        await waitFor(() => server.sockets.size === 0)
      })
    }

    it('when the proxy is not there, or hangs up', async () => {
      const port = await freePort()
      const gone = await TcpServer.start((socket) => void socket.resume().end())
      for (const scheme of ['http', 'https', 'socks5']) {
        const away = dial(`${scheme}://${USER_INFO}127.0.0.1:${port}`, { host: 'a', port: 1 })
        expect(await failure(away)).to.match(/can't reach the proxy 127\.0\.0\.1:\d+: nobody listens there/u)
        expect(await failure(dial(`${scheme}://${USER_INFO}127.0.0.1:${gone.port}`, { host: 'a', port: 1 }))).to.match(
          /the proxy/u,
        )
      }
      expect(() => createDialer({ deny: NOWHERE, proxy: `ftp://${USER_INFO}host` }))
        .to.throw(DialError)
        .with.property('message')
        .that.does.not.match(SECRETS)
    })
  })

  describe('gives up', () => {
    for (const scheme of ['http', 'https', 'socks5']) {
      it(`while a proxy of ${scheme} says nothing, when it is told to or it takes too long`, async () => {
        const server = await TcpServer.start()
        const url = `${scheme}://${USER_INFO}127.0.0.1:${server.port}`
        const stop = new AbortController()
        const stopped = failure(dial(url, { host: 'a', port: 1, signal: stop.signal }))
        await waitFor(() => server.accepted === 1)
        stop.abort()
        expect(await stopped).to.equal("can't connect to a:1: stopped")
        const late = failure(dial(url, { host: 'a', port: 1 }, { connectTimeoutMs: 50 }))
        expect(await late).to.match(/: no answer within 0\.05 s$/u)
        await waitFor(() => server.sockets.size === 0)
      })
    }

    it('while the target does not agree on TLS', async () => {
      const target = await TcpServer.start()
      const { url, server } = await httpProxy(leadTo(target.port))
      const stop = new AbortController()
      const tls = { verifyCertificate: true }
      const stopped = failure(dial(url, { host: 'a', port: 1, tls, signal: stop.signal }))
      await waitFor(() => target.accepted === 1)
      stop.abort()
      expect(await stopped).to.match(/: stopped$/u)
      await waitFor(() => server.sockets.size + target.sockets.size === 0)
    })
  })

  it('stands whatever a proxy answers', async () => {
    let answer = Buffer.alloc(0)
    const server = await TcpServer.start((socket) => void socket.resume().end(answer))
    const starts = [Buffer.alloc(0), Buffer.from(AGREED), Buffer.from('0500', 'hex'), Buffer.from('05000500', 'hex')]
    const bytes = fc.tuple(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 40 }))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('http', 'socks5'), bytes, async (scheme, [begin, rest]) => {
        answer = Buffer.concat([begin, rest])
        const work = dial(`${scheme}://${USER_INFO}127.0.0.1:${server.port}`, { host: 'a', port: 1 })
        await work.then(
          (socket) => void socket.on('error', () => {}).destroy(),
          (error: unknown) => expect(error).to.be.instanceOf(DialError),
        )
      }),
      { numRuns: rounds(200) },
    )
    await waitFor(() => server.sockets.size === 0)
  })
})
