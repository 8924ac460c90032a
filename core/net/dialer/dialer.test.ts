import type { LookupAddress } from 'node:dns'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { DialTarget } from 'sluice/sdk'
import { freePort } from '../../../test/peers/free-port.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { ConfiguredNetworks, NetworkList } from '../network-list.ts'
import { selfSignedCertificate } from '../self-signed.ts'
import { createDialer, type DialerOptions } from './dialer.ts'
import { DialError } from './dial-error.ts'
import { echo, startBlackHole, TcpServer } from './fixtures/tcp-server.ts'

const NOWHERE = new NetworkList([])
const V4: LookupAddress = { address: '127.0.0.1', family: 4 }

const deny = (...networks: string[]) => new NetworkList(networks)

function dial(target: DialTarget, options: Partial<DialerOptions> = {}) {
  return createDialer({ deny: NOWHERE, ...options }).connect(target)
}

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    expect(error).to.be.instanceOf(DialError)
    return (error as Error).message
  }
  throw new Error('it did not fail')
}

/** Connections of this process, from their begin. */
const openSockets = () =>
  process.getActiveResourcesInfo().filter((name) => /^(?:TCPSocket|TCPConnect|TLS)Wrap$/u.test(name))

describe('a dialer without proxy', () => {
  it('connects to names and addresses, by TCP and TLS', async () => {
    const plain = await TcpServer.start((socket) => void socket.end('plain'))
    const tls = await TcpServer.start((socket) => void socket.end('tls'), selfSignedCertificate())
    for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1']) {
      expect(await text(await dial({ host, port: plain.port })), host).to.equal('plain')
    }
    for (const host of ['127.0.0.1', 'localhost']) {
      const socket = await dial({ host, port: tls.port, tls: { verifyCertificate: false, alpn: ['http/1.1'] } })
      expect(await text(socket), host).to.equal('tls')
    }
    expect(createDialer({ deny: NOWHERE }).proxied).to.equal(false)
  })

  it('gives sockets that are yet to be read', async () => {
    const server = await TcpServer.start(echo)
    const socket = await dial({ host: '127.0.0.1', port: server.port })
    let heard = ''
    socket.on('data', (bytes: Buffer) => (heard += bytes.toString()))
    socket.write('you')
    await waitFor(() => heard === 'hello you')
    socket.destroy()
  })

  it('tries the next address of a name where the first is dead', async () => {
    const server = await TcpServer.start((socket) => void socket.end('second'))
    const lookup = async () => [{ address: '::1', family: 6 }, V4]
    expect(await text(await dial({ host: 'two.test', port: server.port }, { lookup }))).to.equal('second')
  })

  describe('says what is wrong', () => {
    it('with the name', async () => {
      const lookup = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
      const message = await failure(dial({ host: 'nobody.test', port: 80 }, { lookup }))
      expect(message).to.equal("can't connect to nobody.test:80: the name is not known (ENOTFOUND)")
      for (const host of ['', 'a b', 'a\r\nb', 'u:pa55@host', 'x'.repeat(300)]) {
        expect(await failure(dial({ host, port: 80 }))).to.equal(
          "can't connect: the host is neither a name nor an address",
        )
      }
      for (const port of [0, -1, 65_536, 1.5, Number.NaN]) {
        expect(await failure(dial({ host: 'a', port }))).to.equal("can't connect: there is no such port")
      }
    })

    it('with the port', async () => {
      const port = await freePort()
      const message = await failure(dial({ host: 'localhost', port }))
      expect(message).to.equal(`can't connect to localhost:${port}: nobody listens there (ECONNREFUSED)`)
    })

    it('with TLS', async () => {
      const certificate = selfSignedCertificate()
      const tls = await TcpServer.start(undefined, certificate)
      const verified = { verifyCertificate: true }
      const host = '127.0.0.1'
      expect(await failure(dial({ host, port: tls.port, tls: verified }))).to.match(
        /^can't connect to 127\.0\.0\.1:\d+: its certificate is not trusted: self-signed certificate/u,
      )
      const plain = await TcpServer.start((socket) => void socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'))
      expect(await failure(dial({ host, port: plain.port, tls: verified }))).to.match(/: TLS failed: /u)
      const rude = await TcpServer.start((socket) => void socket.destroy())
      expect(await failure(dial({ host, port: rude.port, tls: verified }))).to.match(/: the connection was cut/u)
      await waitFor(() => tls.sockets.size + plain.sockets.size + rude.sockets.size === 0)
    })
  })

  describe('goes to no address that is denied', () => {
    const denials: readonly (readonly [network: string, host: string, shown: string])[] = [
      ['127.0.0.0/8', '127.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:127.0.0.1'],
      ['127.0.0.1', '::ffff:7f00:1', '::ffff:7f00:1'],
      ['127.0.0.0/8', '0.0.0.0', '0.0.0.0'],
      ['127.0.0.0/8', '2130706433', '127.0.0.1'],
      ['127.0.0.0/8', '0x7f.1', '127.0.0.1'],
      ['::1', '::1', '::1'],
      ['::1', '0:0:0:0:0:0:0:1', '0:0:0:0:0:0:0:1'],
      ['::1', '::', '::'],
      ['fe80::/10', 'fe80::1%eth0', 'fe80::1%eth0'],
    ]
    for (const [network, host, shown] of denials) {
      it(`${host}, where ${network} is`, async () => {
        const server = await TcpServer.start()
        const message = await failure(dial({ host, port: server.port }, { deny: deny(network) }))
        expect(message).to.contain(`: the address ${shown} is denied by global.pull.deny`)
        expect(server.accepted).to.equal(0)
        const dialer = createDialer({ deny: deny(network) })
        expect(() => dialer.checkAddress(shown)).to.throw(DialError, `${shown} is denied`)
      })
    }

    it('by a name', async () => {
      const server = await TcpServer.start()
      const denied = { deny: deny('127.0.0.0/8', '::1') }
      expect(await failure(dial({ host: 'localhost', port: server.port }, denied))).to.match(/ is denied by /u)
      expect(server.accepted).to.equal(0)
    })

    it('of several that a name has, and looks the name up once', async () => {
      const server = await TcpServer.start((socket) => void socket.end('allowed'))
      let lookups = 0
      const lookup = async () => {
        lookups += 1
        return [{ address: '127.0.0.2', family: 4 }, V4]
      }
      const socket = await dial({ host: 'two.test', port: server.port }, { lookup, deny: deny('127.0.0.2') })
      expect([socket.remoteAddress, await text(socket), lookups]).to.eql(['127.0.0.1', 'allowed', 1])
      const both = deny('127.0.0.0/8')
      expect(await failure(dial({ host: 'two.test', port: server.port }, { lookup, deny: both }))).to.match(
        /is denied/u,
      )
      expect(server.accepted).to.equal(1)
    })

    it('from the next connection on, where the list changes', async () => {
      const server = await TcpServer.start((socket) => void socket.end('in'))
      let networks: readonly string[] = []
      const dialer = createDialer({ deny: new ConfiguredNetworks(() => networks) })
      const target = { host: '127.0.0.1', port: server.port }
      expect(await text(await dialer.connect(target))).to.equal('in')
      dialer.checkAddress('127.0.0.1')
      networks = ['127.0.0.1']
      expect(await failure(dialer.connect(target))).to.match(/is denied/u)
      expect(() => dialer.checkAddress('127.0.0.1')).to.throw(DialError, 'is denied')
      networks = ['10.0.0.0/8']
      expect(await text(await dialer.connect(target))).to.equal('in')
    })

    it('that is none', () => {
      expect(() => createDialer({ deny: deny('10.0.0.0/8') }).checkAddress('no address')).to.throw(DialError)
    })
  })

  describe('gives up', () => {
    const stages: readonly (readonly [stage: string, begin: () => Promise<[DialTarget, Partial<DialerOptions>]>])[] = [
      [
        'while the name is looked up',
        async () => [{ host: 'slow.test', port: 1 }, { lookup: () => new Promise<never>(() => {}) }],
      ],
      ['while nobody answers', async () => [{ host: '127.0.0.1', port: await startBlackHole() }, {}]],
      [
        'while TLS is not agreed on',
        async () => [{ host: '127.0.0.1', port: (await TcpServer.start()).port, tls: { verifyCertificate: true } }, {}],
      ],
    ]
    for (const [stage, begin] of stages) {
      it(`${stage}, when it is told to or it takes too long`, async () => {
        const [target, options] = await begin()
        const before = openSockets().length
        const stop = new AbortController()
        const stopped = failure(dial({ ...target, signal: stop.signal }, options))
        setImmediate(() => stop.abort())
        expect(await stopped).to.equal(`can't connect to ${target.host}:${target.port}: stopped`)
        expect(await failure(dial(target, { ...options, connectTimeoutMs: 50 }))).to.match(
          /: no answer within 0\.05 s$/u,
        )
        await waitFor(() => openSockets().length <= before)
      })
    }

    it('before it begins', async () => {
      const server = await TcpServer.start()
      const signal = AbortSignal.abort()
      expect(await failure(dial({ host: '127.0.0.1', port: server.port, signal }))).to.match(/: stopped$/u)
      expect(server.accepted).to.equal(0)
    })
  })
})
