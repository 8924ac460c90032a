import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { get as getTls } from 'node:https'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import type { PluginHttp } from './plugin-http.ts'
import { HTTP_CONFIG, HttpFixture, waitFor } from './testing/http-fixture.ts'

describe('HttpHost', () => {
  let fixture: HttpFixture

  beforeEach(() => {
    fixture = new HttpFixture()
  })

  afterEach(() => fixture.close())

  /** Starts a generation that answers everything with its name and the path it sees. */
  async function echo(name: string, label = name, mounts = [name], config = {}): Promise<PluginHttp> {
    const plugin = await fixture.plugin(name, mounts, config)
    plugin.instance.get('/*', ({ url, originalUrl }) => ({ label, url, originalUrl }))
    await plugin.activate()
    return plugin
  }

  async function ask(path: string): Promise<unknown> {
    return (await fetch(fixture.url(path))).json()
  }

  it('sends a request to the plugin of its first segment, without the prefix', async () => {
    await fixture.host.start()
    await echo('flv', 'flv', ['flv', 'hdl'])
    const cases = [
      { path: '/flv/live/a.flv?x=/1', url: '/live/a.flv?x=/1' },
      { path: '/hdl/live/a', url: '/live/a' },
      { path: '/flv', url: '/' },
      { path: '/flv?x=1', url: '/?x=1' },
      { path: '/flv/flv/a', url: '/flv/a' },
    ]
    for (const { path, url } of cases) expect(await ask(path)).to.deep.equal({ label: 'flv', url, originalUrl: path })
  })

  it('sends all other requests to the core', async () => {
    fixture.host.admin.get('/api/hello', () => 'core')
    fixture.host.core.get('/flvx', () => 'core')
    await fixture.host.start()
    await echo('flv')
    expect(await (await fetch(fixture.url('/api/hello'))).text()).to.equal('core')
    expect(await (await fetch(fixture.url('/flvx'))).text()).to.equal('core')
  })

  it('takes a whole URL as the target, as proxies send it', async () => {
    await fixture.host.start()
    await echo('flv')
    const answer = await fixture.exchange(
      'GET http://example.com/flv/a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(answer).to.contain('"url":"/a?b"')
  })

  it('gives the page at / to the plugin with the empty prefix, and nothing else', async () => {
    fixture.host.core.get('/healthz', () => ({ label: 'core' }))
    await fixture.host.start()
    expect((await fetch(fixture.url('/'))).status).to.equal(404)
    const page = await echo('home', 'home', ['home', ''])
    expect(await ask('/')).to.deep.equal({ label: 'home', url: '/', originalUrl: '/' })
    expect(await ask('/?x=1')).to.deep.equal({ label: 'home', url: '/?x=1', originalUrl: '/?x=1' })
    expect(await ask('/home/a')).to.deep.equal({ label: 'home', url: '/a', originalUrl: '/home/a' })
    expect(await ask('/healthz')).to.deep.equal({ label: 'core' })
    expect((await fetch(fixture.url('/other'))).status).to.equal(404)
    const error: unknown = await fixture.plugin('x', ['']).catch((cause: unknown) => cause)
    expect(error).to.be.an('error').with.property('message', "x: can't serve //: the prefix belongs to the plugin home")
    await page.dispose()
    expect((await fetch(fixture.url('/'))).status).to.equal(404)
  })

  it('refuses a prefix that is taken, reserved or malformed', async () => {
    await echo('flv', 'flv', ['flv', 'hdl'])
    const cases = [
      { mount: 'hdl', message: "x: can't serve /hdl/: the prefix belongs to the plugin flv" },
      { mount: 'api', message: "x: can't serve /api/: the prefix belongs to the server" },
      { mount: 'readyz', message: "x: can't serve /readyz/: the prefix belongs to the server" },
      {
        mount: 'a/b',
        message: "x: can't serve /a/b/: a prefix is one path segment of a–z, 0–9, dot, dash and underscore",
      },
    ]
    for (const { mount, message } of cases) {
      const error = await fixture.plugin('x', [mount]).catch((reason: unknown) => reason)
      expect(error).to.have.property('message', message)
    }
  })

  describe('generations', () => {
    it('answers 503 until the first is active, and 404 after the last', async () => {
      await fixture.host.start()
      const plugin = await fixture.plugin('flv')
      const before = await fetch(fixture.url('/flv/a'))
      expect(before.status).to.equal(503)
      expect(await before.json()).to.deep.equal({ code: 14, message: 'the plugin is not running', details: [] })
      plugin.instance.get('/a', () => 'a')
      await plugin.activate()
      expect((await fetch(fixture.url('/flv/a'))).status).to.equal(200)
      await plugin.dispose()
      expect((await fetch(fixture.url('/flv/a'))).status).to.equal(404)
    })

    it('go from one to the next without a failed request, also on a kept connection', async () => {
      await fixture.host.start()
      let plugin = await echo('flv', '0')
      const switched = new AbortController()
      const seen = new Set<string>()
      const hammer = async (): Promise<void> => {
        while (!switched.signal.aborted) seen.add(((await ask('/flv/x')) as { label: string }).label)
      }
      const hammers = Array.from({ length: 6 }, hammer)
      for (let generation = 1; generation <= 30; generation += 1) {
        const next = await echo('flv', String(generation))
        // Requests that the old one has begun are let through before it goes.
        await waitFor(() => plugin.openRequests === 0)
        await plugin.dispose()
        plugin = next
        expect(await ask('/flv/x')).to.have.property('label', String(generation))
      }
      switched.abort()
      await Promise.all(hammers)
      expect(seen.size).to.be.greaterThan(1)
    })

    it('let the open and hijacked requests of the one before go on until it is disposed', async () => {
      await fixture.host.start()
      const first = await fixture.plugin('flv')
      first.instance.get('/live', (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200)
        reply.raw.write('first')
      })
      await first.activate()
      const response = await fetch(fixture.url('/flv/live'))
      const reader = response.body?.getReader()
      expect(new TextDecoder().decode((await reader?.read())?.value)).to.equal('first')
      await echo('flv', 'second')
      expect(await ask('/flv/live')).to.have.property('label', 'second')
      expect(first.openRequests).to.equal(1)
      await first.dispose()
      expect(await reader?.read().catch((error: unknown) => error)).to.be.instanceOf(Error)
      expect(first.openRequests).to.equal(0)
    })

    it('give way to the one before when the latest goes', async () => {
      await fixture.host.start()
      await echo('flv', 'first', ['flv', 'hdl'])
      const second = await echo('flv', 'second')
      expect((await fetch(fixture.url('/hdl/x'))).status).to.equal(404)
      await second.dispose()
      for (const path of ['/flv/x', '/hdl/x']) expect(await ask(path)).to.have.property('label', 'first')
    })

    it('take no new requests once retired, while open ones go on', async () => {
      await fixture.host.start()
      const plugin = await fixture.plugin('flv')
      let finish = (_text: string): void => {}
      plugin.instance.get('/live', () => new Promise((resolve) => (finish = resolve)))
      plugin.instance.server.on('upgrade', (_request, socket: Socket) => socket.end('up'))
      await plugin.activate()
      const open = fetch(fixture.url('/flv/live'))
      await waitFor(() => plugin.openRequests === 1)
      await plugin.retire()
      expect((await fetch(fixture.url('/flv/live'))).status).to.equal(404)
      const upgrade = 'GET /flv/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      expect(await fixture.exchange(upgrade)).to.match(/^HTTP\/1\.1 404 /)
      expect(plugin.openRequests).to.equal(1)
      finish('done')
      expect(await (await open).text()).to.equal('done')
      await plugin.dispose()
    })

    it('leave the one before in place when the next fails to get ready', async () => {
      await fixture.host.start()
      await echo('flv', 'first')
      const next = await fixture.plugin('flv')
      next.instance.addHook('onReady', async () => {
        throw new Error('not today')
      })
      expect(await next.activate().catch((error: unknown) => error)).to.have.property('message', 'not today')
      await next.dispose()
      expect(await ask('/flv/x')).to.have.property('label', 'first')
    })

    it('may give up a prefix and take another', async () => {
      await fixture.host.start()
      const first = await echo('flv', 'first', ['flv', 'hdl'])
      await echo('flv', 'second', ['flv', 'live'])
      await first.dispose()
      expect(await ask('/live/x')).to.have.property('label', 'second')
      expect((await fetch(fixture.url('/hdl/x'))).status).to.equal(404)
      await echo('hdl')
    })
  })

  describe("a plugin's own address", () => {
    it('serves its routes with and without the prefix, and nothing else', async () => {
      fixture.host.admin.get('/api/hello', () => 'core')
      await fixture.host.start()
      const plugin = await echo('flv', 'flv', ['flv'], { listenaddr: '127.0.0.2:0' })
      const base = `http://127.0.0.2:${plugin.addresses[0]?.port}`
      for (const path of ['/live/a.flv', '/flv/live/a.flv']) {
        expect(await (await fetch(base + path)).json()).to.have.property('url', '/live/a.flv')
      }
      expect(await (await fetch(`${base}/api/hello`)).json()).to.have.property('label', 'flv')
      expect(await ask('/flv/live/a.flv')).to.have.property('url', '/live/a.flv')
    })

    it('stays bound and goes to the next generation, also on a kept connection', async () => {
      await fixture.host.start()
      const config = { listenaddr: '127.0.0.2:0' }
      const first = await echo('flv', 'first', ['flv'], config)
      const port = first.addresses[0]?.port
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const asked = async (): Promise<unknown> => {
        const [response] = await once(get({ agent, port, host: '127.0.0.2', path: '/x' }), 'response')
        return JSON.parse(Buffer.concat(await response.toArray()).toString())
      }
      expect(await asked()).to.have.property('label', 'first')
      const second = await echo('flv', 'second', ['flv'], config)
      await first.dispose()
      expect(second.addresses).to.deep.equal([{ host: '127.0.0.2', port, tls: false }])
      expect(await asked()).to.have.property('label', 'second')
      agent.destroy()
    })

    it('that is taken is refused, and the prefix freed', async () => {
      const stranger = createServer().listen(0, '127.0.0.1')
      await once(stranger, 'listening')
      const listenaddr = `127.0.0.1:${(stranger.address() as AddressInfo).port}`
      const error = await fixture.plugin('flv', ['flv'], { listenaddr }).catch((reason: unknown) => reason)
      expect(error).to.include({
        code: 'EADDRINUSE',
        message: `flv http: can't listen on ${listenaddr}: address already in use; stop what has it (another Sluice?), or change flv.http.listenaddr`,
      })
      await fixture.plugin('other', ['flv'])
      stranger.close()
    })
  })

  it('shares its address with no plugin, whatever that is called', async () => {
    await fixture.host.start()
    const tcp = { ...HTTP_CONFIG, nodelay: true, keepalive: true }
    const other = await fixture.pool.acquire({ plugin: 'http' }, tcp, () => {})
    expect(other.addresses[0]?.port).not.to.equal(fixture.port)
    const taken = { ...tcp, listenaddr: `127.0.0.1:${fixture.port}` }
    const error = await fixture.pool.acquire({ plugin: 'http' }, taken, () => {}).catch((reason: unknown) => reason)
    expect(error).to.have.property(
      'message',
      `http: can't listen on ${taken.listenaddr}: address already in use by the server; choose another address`,
    )
  })

  it('serves HTTPS', async () => {
    await fixture.close()
    fixture = new HttpFixture({}, { listenaddrtls: '127.0.0.1:0' })
    fixture.host.core.get('/', ({ protocol }) => protocol)
    await fixture.host.start()
    const port = fixture.host.addresses.find(({ tls }) => tls)?.port
    const [response] = await once(getTls({ host: '127.0.0.1', port, path: '/', rejectUnauthorized: false }), 'response')
    expect(Buffer.concat(await response.toArray()).toString()).to.equal('https')
  })

  it('changes its address and its CORS, while open requests go on', async () => {
    const open: ServerResponse[] = []
    fixture.host.core.get('/live', (_request, reply) => {
      reply.hijack()
      open.push(reply.raw.writeHead(200))
      reply.raw.write('before ')
    })
    fixture.host.core.get('/', () => 'hello')
    await fixture.host.start()
    const live = await fetch(fixture.url('/live'))
    const oldUrl = fixture.url('/')
    await fixture.host.applyConfig(fixture.config({ listenaddr: '127.0.0.2:0', cors: false }))
    const answer = await fetch(`http://127.0.0.2:${fixture.port}/`)
    expect(await answer.text()).to.equal('hello')
    expect(answer.headers.has('access-control-allow-origin')).to.be.false
    open[0]?.end('after')
    expect(await live.text()).to.equal('before after')
    const refused = once(get(oldUrl, { agent: false }), 'response').catch((error: unknown) => error)
    expect(await refused).to.have.property('code', 'ECONNREFUSED')
  })

  it('changes the host of its address, and keeps the port', async () => {
    fixture.host.core.get('/', () => 'hello')
    await fixture.host.start()
    const { port } = fixture
    await fixture.host.applyConfig(fixture.config({ listenaddr: `0.0.0.0:${port}` }))
    expect(await (await fetch(`http://127.0.0.2:${port}/`)).text()).to.equal('hello')
  })

  describe('with addresses of administration alone', () => {
    const paths = ['/api/hello', '/metrics', '/v6/api/x', '/config', '/api?x']

    beforeEach(() => {
      fixture.host.admin.get('/*', () => 'administration')
      fixture.host.core.get('/core', () => 'core')
    })

    async function textOf(path: string, port: number): Promise<string> {
      return (await fetch(`http://127.0.0.1:${port}${path}`)).text()
    }

    const adminPort = () => fixture.host.adminAddresses[0]?.port ?? 0
    const NOT_FOUND = '{"code":5,"message":"not found","details":[]}'

    it('answers administration there only, and everything else there, too', async () => {
      await fixture.close()
      fixture = new HttpFixture({}, {}, { listenaddr: '127.0.0.1:0' })
      fixture.host.admin.get('/*', () => 'administration')
      fixture.host.core.get('/core', () => 'core')
      await fixture.host.start()
      await echo('flv')
      for (const path of paths) {
        expect(await textOf(path, fixture.port), path).to.equal(NOT_FOUND)
        expect(await textOf(path, adminPort()), path).to.equal('administration')
      }
      expect(await textOf('/core', adminPort())).to.equal('core')
      expect(await textOf('/flv/x', adminPort())).to.include('"label":"flv"')
      const upgrade = 'GET /api/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
      expect(await fixture.exchange(upgrade)).to.match(/^HTTP\/1\.1 404 /u)
    })

    it('takes them and gives them up with the config, also for connections that are open', async () => {
      await fixture.host.start()
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const ask = async () => {
        const [response] = (await once(get(fixture.url('/api/hello'), { agent }), 'response')) as [IncomingMessage]
        return Buffer.concat(await response.toArray()).toString()
      }
      expect(await ask()).to.equal('administration')
      await fixture.host.applyConfig(fixture.config({}, { listenaddr: '127.0.0.1:0' }))
      expect(await ask()).to.equal(NOT_FOUND)
      expect(await textOf('/api/hello', adminPort())).to.equal('administration')
      await fixture.host.applyConfig(fixture.config({}))
      expect(fixture.host.adminAddresses).to.eql([])
      expect(await ask()).to.equal('administration')
      agent.destroy()
    })

    it('changes none of its addresses when one of them can not be bound', async () => {
      await fixture.host.start()
      const { port } = fixture
      const change = fixture.host.applyConfig(
        fixture.config({ listenaddr: '127.0.0.2:0' }, { listenaddr: '192.0.2.1:0' }),
      )
      expect(await change.catch((error: unknown) => error)).to.include({ code: 'EADDRNOTAVAIL' })
      expect(fixture.host.addresses.map(({ host }) => host)).to.eql(['127.0.0.1'])
      expect(await textOf('/api/hello', port)).to.equal('administration')
    })

    it('has TLS there with the certificate of the server', async () => {
      await fixture.close()
      fixture = new HttpFixture({}, {}, { listenaddrtls: '127.0.0.1:0' })
      fixture.host.admin.get('/api/hello', ({ protocol }) => protocol)
      await fixture.host.start()
      const options = { host: '127.0.0.1', port: adminPort(), path: '/api/hello', rejectUnauthorized: false }
      const [response] = (await once(getTls(options), 'response')) as [IncomingMessage]
      expect(Buffer.concat(await response.toArray()).toString()).to.equal('https')
    })
  })

  it('stays where it is when a new address can not be bound', async () => {
    await fixture.host.start()
    const change = fixture.host.applyConfig(fixture.config({ listenaddr: '192.0.2.1:0' }))
    expect(await change.catch((error: unknown) => error)).to.have.property('code', 'EADDRNOTAVAIL')
    expect((await fetch(fixture.url('/'))).status).to.equal(404)
  })

  it('lets open requests finish when it closes, and ends them at the deadline', async () => {
    let release = (): void => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    fixture.host.core.get('/slow', async () => {
      await released
      return 'done'
    })
    fixture.host.core.get('/never', () => new Promise(() => {}))
    await fixture.host.start()
    const slow = fetch(fixture.url('/slow'))
    const never = fetch(fixture.url('/never')).catch((error: unknown) => error)
    fixture.dial()
    await waitFor(() => fixture.lines.length > 0)
    await fetch(fixture.url('/x'))
    const closed = fixture.host.close(200)
    release()
    const answer = await slow
    expect(await answer.text()).to.equal('done')
    await closed
    expect(await never).to.be.instanceOf(Error)
  })
})
