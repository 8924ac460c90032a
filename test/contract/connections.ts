import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, createServer, Socket, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { StreamUnavailable } from 'sluice/sdk'
import { requestUrl } from 'sluice/sdk/http'
import { sessionInit } from 'sluice/sdk/testing'
import { waitFor } from '../peers/wait-for.ts'
import type { StartContractHost } from './contract-host.ts'

export function describeConnections(start: StartContractHost): void {
  describe('TCP', () => {
    it('gives connections to the plugin, and ends those whose handler throws', async () => {
      let port = 0
      await start(async (ctx) => {
        let count = 0
        const listener = await ctx.net.tcp(ctx.config.tcp, (socket) => {
          count += 1
          if (count === 2) throw new Error('broken')
          socket.on('error', () => {}).end(`${ctx.config.greeting} ${count}`)
        })
        const [address] = listener.addresses
        expect(address).to.include({ host: '127.0.0.1', tls: false })
        port = address?.port ?? 0
      })
      expect(await readAll(connect(port, '127.0.0.1'))).to.equal('hello 1')
      expect(await readAll(connect(port, '127.0.0.1'))).to.equal('')
      expect(await readAll(connect(port, '127.0.0.1'))).to.equal('hello 3')
    })

    it('listens nowhere when both addresses are empty', async () => {
      const { ctx } = await start()
      const listener = await ctx.net.tcp({ ...ctx.config.tcp, listenaddr: '' }, () => {})
      expect(listener.addresses).to.eql([])
    })

    it('gives an address up when it is asked to; connections go on', async () => {
      const { ctx } = await start()
      const listener = await ctx.net.tcp(ctx.config.tcp, (socket) => {
        socket.on('error', () => {}).on('data', (bytes: Buffer) => socket.end(bytes))
      })
      const port = listener.addresses[0]?.port ?? 0
      const client = connect(port, '127.0.0.1')
      await once(client, 'connect')
      client.write('still ')
      await Promise.all([listener.close(), listener.close()])
      client.write('here')
      expect(await readAll(client)).to.match(/^still/u)
      const [error] = await once(connect(port, '127.0.0.1'), 'error')
      expect(error).to.have.property('code', 'ECONNREFUSED')
    })

    it('keeps a connection that no newer generation can take', async () => {
      let handedOver: boolean | undefined
      const { ctx } = await start()
      const listener = await ctx.net.tcp(ctx.config.tcp, (socket) => {
        handedOver = listener.handOver(socket, {})
        socket.on('error', () => {}).end('mine')
      })
      expect(await readAll(connect(listener.addresses[0]?.port ?? 0, '127.0.0.1'))).to.equal('mine')
      expect(handedOver).to.equal(false)
    })
  })

  describe('the address toward a peer', () => {
    it('is that of this machine by which it is reached', async () => {
      const { ctx } = await start()
      for (const peer of ['127.0.0.1', '::ffff:127.0.0.1']) {
        expect(await ctx.net.addressToward(peer)).to.equal('127.0.0.1')
      }
      expect(await ctx.net.addressToward('::1')).to.equal('::1')
      expect(await ctx.net.addressToward('localhost').catch(() => 'refused')).to.equal('refused')
    })
  })

  describe('TCP ports of sessions', () => {
    it('are of the range, and take connections until they are closed', async () => {
      const { ctx } = await start()
      let count = 0
      const open = () =>
        ctx.net.tcpPort(ctx.config.mediaports, (socket) => {
          count += 1
          if (count === 2) throw new Error('broken')
          socket.on('error', () => {}).end(`port ${socket.localPort}`)
        })
      const [one, other] = await Promise.all([open(), open()])
      const [port, otherPort] = [one, other].map(({ addresses }) => addresses[0]?.port ?? 0) as [number, number]
      expect(port).to.be.within(21_000, 29_999).and.not.equal(otherPort)
      expect(one.addresses[0]).to.include({ tls: false })
      for (const said of [`port ${port}`, '', `port ${port}`]) {
        expect(await readAll(connect(port, '127.0.0.1'))).to.equal(said)
      }
      await Promise.all([one.close(), one.close()])
      const [error] = await once(connect(port, '127.0.0.1'), 'error')
      expect(error).to.have.property('code', 'ECONNREFUSED')
      expect(await readAll(connect(otherPort, '127.0.0.1'))).to.equal(`port ${otherPort}`)
    })

    it('are refused where none is free', async () => {
      const { ctx } = await start()
      const listener = await ctx.net.tcpPort(ctx.config.mediaports, () => {})
      const first = listener.addresses[0]?.port ?? 0
      const refused: unknown = await ctx.net.tcpPort({ first, last: first }, () => {}).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(StreamUnavailable)
      expect(listener.handOver(new Socket(), {})).to.equal(false)
    })

    it('can be taken while the generation drains, and close with it', async () => {
      let late: number | undefined
      let setups = 0
      const host = await start((ctx) => {
        setups += 1
        if (setups > 1) return
        const take = async () => {
          const listener = await ctx.net.tcpPort(ctx.config.mediaports, (socket) => void socket.on('error', () => {}))
          late = listener.addresses[0]?.port
        }
        ctx.onDrain(() => void take())
      })
      const keptPort = await host.ctx.net.tcpPort(host.ctx.config.mediaports, () => {})
      await host.replace()
      await waitFor(() => late !== undefined, { what: 'a port of a generation that drains' })
      const client = connect(late ?? 0, '127.0.0.1')
      await once(client, 'connect')
      const ended = readAll(client)
      await host.unload()
      await ended
      for (const port of [late ?? 0, keptPort.addresses[0]?.port ?? 0]) {
        expect((await once(connect(port, '127.0.0.1'), 'error'))[0]).to.have.property('code', 'ECONNREFUSED')
      }
    })
  })

  describe('connections to other servers', () => {
    it('are opened by name and address, and end with the plugin', async () => {
      const other = createServer((socket) => socket.on('error', () => {}).write('hello')).listen(0, '127.0.0.1')
      await once(other, 'listening')
      const { port } = other.address() as AddressInfo
      const host = await start()
      const dialer = host.ctx.net.dialer()
      expect(dialer.proxied).to.equal(false)
      const sockets = await Promise.all(['localhost', '127.0.0.1'].map((host) => dialer.connect({ host, port })))
      for (const socket of sockets) expect(String((await once(socket, 'data'))[0])).to.equal('hello')
      const closed = sockets.map((socket) =>
        once(
          socket.on('error', () => {}),
          'close',
        ),
      )
      await host.unload()
      await Promise.all(closed)
      expect(await dialer.connect({ host: '127.0.0.1', port }).catch(() => 'refused')).to.equal('refused')
      other.close()
    })

    it('are not opened where nobody answers, and where nobody wants them any more', async () => {
      const { ctx } = await start()
      const dialer = ctx.net.dialer()
      const attempt = (port: number, signal?: AbortSignal) =>
        dialer.connect({ host: '127.0.0.1', port, ...(signal && { signal }) }).catch((error: Error) => error.message)
      expect(await attempt(1)).to.match(/^can't connect to 127\.0\.0\.1:1: /u)
      const listener = await ctx.net.tcp(ctx.config.tcp, () => {})
      expect(await attempt(listener.addresses[0]?.port ?? 0, AbortSignal.abort())).to.match(/^can't connect to /u)
    })

    it('go through a proxy where one is named', async () => {
      const { ctx } = await start()
      expect(ctx.net.dialer('socks5://proxy.test:1080').proxied).to.equal(true)
    })
  })

  describe('certificates', () => {
    it('are made for this machine where the section names none', async () => {
      const { ctx } = await start()
      const { cert, key } = await ctx.net.certificate({ certfile: '', keyfile: '' })
      expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).to.equal(true)
    })
  })

  describe('HTTP', () => {
    it('serves routes below the mounts, which see their path and can tell the whole address', async () => {
      const { origin } = await start(({ http }) => {
        http.get('/a/*', (request) => ({ path: request.url, full: requestUrl(request.raw) }))
      })
      for (const mount of ['contract', 'c']) {
        const response = await fetch(`${origin}/${mount}/a/b?c=1`)
        expect(await response.json()).to.eql({ path: '/a/b?c=1', full: `${origin}/${mount}/a/b?c=1` })
      }
      for (const path of ['/contract/none', '/contracts/a/b', '/a/b']) {
        expect((await fetch(origin + path)).status, path).to.equal(404)
      }
    })

    it('answers with the status of an error of the sdk', async () => {
      const { origin } = await start((ctx) => {
        ctx.hooks.on('subscribe', () => {
          throw new Error('not today')
        })
        ctx.http.get('/subscribe', () => ctx.streams.subscribe(sessionInit('live/test')))
      })
      const response = await fetch(`${origin}/c/subscribe`)
      expect(response.status).to.equal(401)
      expect(await response.text()).not.to.include('not today')
    })

    it('gives WebSocket requests to who listens for upgrades, and refuses them where nobody does', async () => {
      const { origin } = await start(({ http }) => {
        http.server.on('upgrade', (request: IncomingMessage, socket: Socket) => socket.end(`up ${request.url}`))
      })
      expect(await upgrade(origin, '/contract/a?b')).to.equal('up /a?b')
      const other = await start()
      expect(await upgrade(other.origin, '/contract/a?b')).to.match(/^HTTP\/1\.1 404 /u)
    })
  })
}

export async function upgrade(origin: string, path: string): Promise<string> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
  return readAll(socket)
}

async function readAll(socket: Socket): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (bytes: Buffer) => parts.push(bytes)).on('error', () => {})
  await once(socket, 'close')
  return Buffer.concat(parts).toString()
}
