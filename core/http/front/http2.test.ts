import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type ClientHttp2Session, type ClientHttp2Stream, type OutgoingHttpHeaders } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { dialHttp2 } from '../testing/http2-frames.ts'
import { HttpFixture, readAll, waitFor } from '../testing/http-fixture.ts'

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly body: string }

describe('HTTP/2', () => {
  let fixture: HttpFixture
  let client: ClientHttp2Session
  const clients: ClientHttp2Session[] = []

  beforeEach(async () => {
    fixture = new HttpFixture({}, { listenaddrtls: '127.0.0.1:0' })
    const { admin } = fixture.host
    admin.get('/api/hello', ({ host, protocol, ip, url, headers }) => ({
      host,
      protocol,
      ip,
      url,
      named: headers.host,
    }))
    admin.post('/api/echo', ({ body }) => ({ body }))
    admin.get('/api/fail', () => {
      throw new Error('secret')
    })
    admin.get('/api/old', (_request, reply) => {
      const headers = { connection: 'close', 'Keep-Alive': 'timeout=5', 'transfer-encoding': 'chunked' }
      return reply.headers(headers).send('old')
    })
    admin.get('/api/raw', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { connection: 'close', 'content-type': 'video/x-flv' }).end('raw')
    })
    admin.get('/api/never', () => new Promise(() => {}))
    await fixture.host.start()
    client = open()
  })

  afterEach(async () => {
    for (const session of clients.splice(0)) session.destroy()
    await fixture.close()
  })

  function tlsPort(): number {
    return fixture.host.addresses.find(({ tls }) => tls)?.port ?? 0
  }

  function open(port = tlsPort(), host = '127.0.0.1'): ClientHttp2Session {
    const session = connect(`https://${host}:${port}`, { rejectUnauthorized: false })
    clients.push(session.on('error', () => {}))
    return session
  }

  function ask(path: string, headers: OutgoingHttpHeaders = {}, session = client): ClientHttp2Stream {
    return session.request({ ':path': path, ...headers }).on('error', () => {})
  }

  async function answer(stream: ClientHttp2Stream): Promise<Answer> {
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    return { status: Number(headers[':status']), headers, body: Buffer.concat(await stream.toArray()).toString() }
  }

  it('is agreed on where a client offers it, and HTTP/1.1 where it does not', async () => {
    const chosen = async (ALPNProtocols?: string[]) => {
      const options = { port: tlsPort(), host: '127.0.0.1', rejectUnauthorized: false }
      const socket = connectTls(ALPNProtocols === undefined ? options : { ...options, ALPNProtocols })
      await once(socket, 'secureConnect')
      socket.destroy()
      return socket.alpnProtocol
    }
    expect(await chosen(['http/1.1', 'h2'])).to.equal('h2')
    expect(await chosen(['http/1.1'])).to.equal('http/1.1')
    expect(await chosen()).to.equal(false)
  })

  it('reaches the routes as HTTP/1 does, with the authority as host', async () => {
    const { status, headers, body } = await answer(ask('/api/hello?x=1', { origin: 'http://page' }))
    expect(status).to.equal(200)
    expect(headers).to.include({ 'access-control-allow-origin': '*' })
    const host = `127.0.0.1:${tlsPort()}`
    expect(JSON.parse(body)).to.deep.equal({
      host,
      named: host,
      protocol: 'https',
      ip: '127.0.0.1',
      url: '/api/hello?x=1',
    })
  })

  it('takes the authority, and no host that says something else', async () => {
    const { body } = await answer(ask('/api/hello', { ':authority': 'here', host: 'HERE:443' }))
    expect(JSON.parse(body)).to.include({ named: 'here', host: 'here' })
    const { status } = await answer(ask('/api/hello', { ':authority': 'here', host: 'elsewhere' }))
    expect(status).to.equal(400)
  })

  it('takes bodies', async () => {
    const stream = ask('/api/echo', { ':method': 'POST', 'content-type': 'application/json' })
    stream.end('{"a":1}')
    expect(await answer(stream)).to.include({ status: 200, body: '{"body":{"a":1}}' })
  })

  it('answers preflights', async () => {
    const headers = { ':method': 'OPTIONS', origin: 'http://page', 'access-control-request-method': 'PUT' }
    const preflight = await answer(ask('/api/hello', headers))
    expect(preflight.status).to.equal(200)
    expect(preflight.headers['access-control-allow-methods']).to.contain('PUT')
  })

  const ERRORS = [
    { path: '/nothing', status: 404, message: 'not found' },
    { path: '/api/fail', status: 500, message: 'internal error' },
    { path: '/api/%zz', status: 400, message: /./ },
    { path: `/${'x'.repeat(9000)}`, status: 414, message: 'URL too long' },
  ]
  for (const { path, status, message } of ERRORS) {
    it(`answers ${status} to ${path.slice(0, 20)}`, async () => {
      const { body, ...rest } = await answer(ask(path))
      expect(rest.status).to.equal(status)
      expect((JSON.parse(body) as { message: string }).message).to.match(new RegExp(message))
    })
  }

  it('sends what a plugin answers as it ends', async () => {
    const plugin = await fixture.plugin('x')
    const asked = Promise.withResolvers<ServerResponse>()
    plugin.instance.get('/wait', (_request, reply) => {
      reply.hijack()
      asked.resolve(reply.raw)
    })
    await plugin.activate()
    const waiting = answer(ask('/x/wait'))
    const response = await asked.promise
    response.writeHead(503).end('come back')
    await plugin.dispose()
    expect(await waiting).to.include({ status: 503, body: 'come back' })
  })

  it('answers 405 to CONNECT, which makes no proxy of it', async () => {
    const stream = client.request({ ':method': 'CONNECT', ':authority': 'example.com:80' })
    expect(await answer(stream)).to.have.property('status', 405)
  })

  for (const path of ['/api/old', '/api/raw']) {
    it(`leaves out of ${path} what HTTP/1 says of its connection`, async () => {
      const warnings: Error[] = []
      const onWarning = (warning: Error) => void warnings.push(warning)
      process.on('warning', onWarning)
      const { headers, body } = await answer(ask(path))
      process.off('warning', onWarning)
      expect(body).to.equal(path.slice(5))
      expect(headers).not.to.have.any.keys('connection', 'keep-alive', 'transfer-encoding')
      expect(warnings).to.deep.equal([])
    })
  }

  it('counts a request until its stream ends, also one for its head only', async () => {
    const plugin = await fixture.plugin('flv')
    plugin.instance.get('/never', () => new Promise(() => {}))
    await plugin.activate()
    const streams = ['GET', 'HEAD'].map((method) => ask('/flv/never', { ':method': method }))
    await waitFor(() => plugin.openRequests === 2)
    for (const stream of streams) stream.close(8)
    await waitFor(() => plugin.openRequests === 0)
  })

  it('goes to the new generation on the same connection, while streams of the old one go on', async () => {
    const first = await fixture.plugin('flv')
    first.instance.get('/live', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200)
      reply.raw.write('first')
    })
    await first.activate()
    const live = ask('/flv/live')
    expect(String((await once(live, 'data'))[0])).to.equal('first')
    const second = await fixture.plugin('flv')
    second.instance.get('/live', () => 'second')
    await second.activate()
    expect(await answer(ask('/flv/live'))).to.include({ body: 'second' })
    expect(first.openRequests).to.equal(1)
    const failed = once(live, 'error')
    await first.dispose()
    expect(String(await failed)).to.contain('NGHTTP2_INTERNAL_ERROR')
    expect(first.openRequests).to.equal(0)
    expect(await answer(ask('/flv/live'))).to.include({ body: 'second' })
  })

  it("works on a plugin's own address", async () => {
    const plugin = await fixture.plugin('flv', ['flv'], { listenaddrtls: '127.0.0.2:0' })
    plugin.instance.get('/a', ({ url }) => url)
    await plugin.activate()
    const port = plugin.addresses.find(({ tls }) => tls)?.port
    expect(await answer(ask('/a', {}, open(port, '127.0.0.2')))).to.include({ status: 200, body: '/a' })
  })

  it('lets open requests finish when the server closes, and ends them at the deadline', async () => {
    let release = (_text: string): void => {}
    const plugin = await fixture.plugin('flv')
    plugin.instance.get('/slow', () => new Promise((resolve) => (release = resolve)))
    await plugin.activate()
    const slow = answer(ask('/flv/slow'))
    await waitFor(() => plugin.openRequests === 1)
    const other = open()
    const never = ask('/api/never', {}, other)
    const neverEnds = once(never, 'close')
    const idle = open()
    await answer(ask('/nothing', {}, idle))
    const farewells = [client, idle].map((session) => once(session, 'goaway'))
    const closed = fixture.host.close(200)
    await Promise.all(farewells)
    release('done')
    expect((await slow).body).to.equal('done')
    await closed
    await neverEnds
    expect(client.destroyed && other.destroyed && idle.destroyed).to.be.true
  })

  it('is not spoken to who agreed on nothing, nor HTTP/1 to who agreed on it', async () => {
    const socket = await dialHttp2(tlsPort())
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await readAll(socket)).not.to.contain('HTTP/1.1')
  })
})
