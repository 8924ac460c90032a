import type { IncomingMessage } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { takeOver } from 'sluice/sdk/http'
import { HttpFixture, waitFor, type LogLine } from './testing/http-fixture.ts'

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u
const WEBSOCKET = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'

describe('the access log', () => {
  let fixture: HttpFixture
  afterEach(() => fixture.close())

  async function start(accesslog = true): Promise<HttpFixture> {
    fixture = new HttpFixture({ maxUrlLength: 1000 }, { accesslog, listenaddrtls: '127.0.0.1:0' })
    const plugin = await fixture.plugin('flv', ['flv'], { accesslog })
    plugin.instance.get('/text', () => 'hello')
    plugin.instance.get('/broken', () => {
      throw new Error('broken')
    })
    plugin.instance.get('/live', async (_request, reply) => {
      const output = await takeOver(reply, 200, { 'content-type': 'video/x-flv' })
      output.end('live')
    })
    plugin.instance.server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      if (request.url === '/socket') socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nhi')
    })
    fixture.host.admin.get('/api/thing', () => ({ thing: 1 }))
    await plugin.activate()
    await fixture.host.start()
    return fixture
  }

  /** The lines of the log, when there are as many. */
  async function lines(count: number): Promise<LogLine[]> {
    const logged = () => fixture.lines.filter(({ logger }) => logger === 'access')
    await waitFor(() => logged().length >= count)
    return logged()
  }

  it('has a line for each answer, without query and tokens', async () => {
    await start()
    await (await fetch(fixture.url('/flv/text?secret=hush#x'))).text()
    const [line] = await lines(1)
    expect(line).to.include({ level: 'info', msg: 'request', method: 'GET', path: '/flv/text', status: 200 })
    expect(line).to.include({ ip: '127.0.0.1' })
    expect(line?.['requestId']).to.match(UUID)
    expect(line?.['tookMs']).to.be.a('number')
    expect(line?.['bytes']).to.be.greaterThan('hello'.length)
    const token = `~${'a'.repeat(36)}`
    await (await fetch(fixture.url(`/flv/${token}/x?policy=hush`))).text()
    expect((await lines(2))[1]).to.include({ path: '/flv/~…/x', status: 404 })
    expect(JSON.stringify(fixture.lines)).not.to.match(/hush|a{36}/u)
  })

  it('has who asked, and refusals of every kind', async () => {
    await start()
    const asked = ['/api/thing', '/flv/broken', '/none', `/flv/${'x'.repeat(2000)}`]
    for (const path of asked) await (await fetch(fixture.url(path))).text()
    const logged = (await lines(asked.length)).map(({ path, status, user }) => [
      String(path).slice(0, 12),
      status,
      user,
    ])
    expect(logged).to.eql([
      ['/api/thing', 200, 'anonymous'],
      ['/flv/broken', 500, 'anonymous'],
      ['/none', 404, undefined],
      ['/flv/xxxxxxx', 414, undefined],
    ])
  })

  it('counts the bytes of each answer of a connection', async () => {
    await start()
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n`
    const end = 'Connection: close\r\n\r\n'
    const text = await fixture.exchange(`${get('/flv/text')}\r\n${get('/flv/text')}\r\n${get('/flv/text')}${end}`)
    const bytes = (await lines(3)).map((line) => Number(line['bytes']))
    expect(bytes.reduce((sum, count) => sum + count, 0)).to.equal(Buffer.byteLength(text))
  })

  it('has answers without end and WebSockets when they are over, with all that was sent', async () => {
    await start()
    const live = await fixture.exchange('GET /flv/live?key=hush HTTP/1.1\r\nHost: a\r\n\r\n')
    const socket = await fixture.exchange(`GET /flv/socket HTTP/1.1\r\nHost: a\r\n${WEBSOCKET}\r\n`)
    const refused = await fixture.exchange(`GET /none HTTP/1.1\r\nHost: a\r\n${WEBSOCKET}\r\n`)
    const logged = (await lines(3)).map(({ path, status, bytes }) => [path, status, bytes])
    expect(logged).to.eql([
      ['/flv/live', 200, Buffer.byteLength(live)],
      ['/flv/socket', 101, Buffer.byteLength(socket)],
      ['/none', 404, Buffer.byteLength(refused)],
    ])
  })

  it('has clients that leave before they are answered', async () => {
    await start()
    const waiting = Promise.withResolvers<void>()
    const plugin = await fixture.plugin('slow', ['slow'], { accesslog: true })
    plugin.instance.get('/', () => {
      waiting.resolve()
      return new Promise(() => {})
    })
    await plugin.activate()
    const leaving = new AbortController()
    const asked = fetch(fixture.url('/slow/'), { signal: leaving.signal }).catch(() => {})
    await waiting.promise
    leaving.abort()
    await asked
    expect((await lines(1))[0]).to.include({ path: '/slow/', status: 499, bytes: 0 })
    await plugin.dispose()
  })

  it('has answers over HTTP/2', async () => {
    await start()
    const port = fixture.host.addresses.find(({ tls }) => tls)?.port
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    const ask = (path: string) =>
      new Promise<{ id: unknown; text: string }>((resolve, reject) => {
        const stream = session.request({ ':path': path }).setEncoding('utf8')
        let id: unknown
        let text = ''
        stream.on('response', (headers) => (id = headers['x-request-id']))
        stream.on('data', (part: string) => (text += part)).on('end', () => resolve({ id, text }))
        stream.on('error', reject)
      })
    const plain = await ask('/flv/text?secret=hush')
    const live = await ask('/flv/live')
    session.close()
    const logged = (await lines(2)).map(({ path, status, bytes, requestId }) => [path, status, bytes, requestId])
    expect(logged).to.eql([
      ['/flv/text', 200, 5, plain.id],
      ['/flv/live', 200, 4, live.id],
    ])
  })

  it('is off unless the config says otherwise, and follows it', async () => {
    await start(false)
    await (await fetch(fixture.url('/none'))).text()
    await waitFor(() => fixture.lines.some(({ msg }) => msg === 'request'))
    expect(fixture.lines.filter(({ logger }) => logger === 'access')).to.eql([])
    await fixture.host.applyConfig(fixture.config({ accesslog: true }))
    await (await fetch(fixture.url('/none'))).text()
    await lines(1)
  })
})

describe('the id of a request', () => {
  let fixture: HttpFixture
  beforeEach(async () => {
    fixture = new HttpFixture()
    const plugin = await fixture.plugin('flv')
    plugin.instance.get('/id', (request) => request.id)
    plugin.instance.get('/broken', () => {
      throw new Error('broken')
    })
    await plugin.activate()
    await fixture.host.start()
  })
  afterEach(() => fixture.close())

  const ask = (path: string, id?: string) =>
    fetch(fixture.url(path), { headers: id === undefined ? {} : { 'X-Request-Id': id } })

  it('is in every answer, and the client’s own where that is plain', async () => {
    const made = await ask('/flv/id')
    expect(made.headers.get('x-request-id'))
      .to.match(UUID)
      .and.to.equal(await made.text())
    for (const id of ['a', 'f9ed4675f1c53513c61a3b3b4e25b4c0', 'Root=1-67891233-abcdef012345678912345678', 'a+b/c=']) {
      expect((await ask('/flv/id', id)).headers.get('x-request-id')).to.equal(id)
    }
    for (const id of ['a b', 'ä', '<script>', '"', 'x'.repeat(129), '{"a":1}']) {
      expect(
        (await ask('/flv/id', encodeURI(id).length > id.length ? encodeURI(id) : id)).headers.get('x-request-id'),
      ).to.match(UUID)
    }
    for (const path of ['/none', '/flv/none', '/api/none', '/flv/broken']) {
      expect((await ask(path, 'mine')).headers.get('x-request-id'), path).to.equal('mine')
    }
  })

  it('is in answers to WebSocket requests that are refused', async () => {
    for (const path of ['/none', '/flv/none', '/api/none']) {
      const text = await fixture.exchange(`GET ${path} HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n${WEBSOCKET}\r\n`)
      expect(text, path).to.match(/\r\nX-Request-Id: mine\r\n/u)
    }
  })

  it('is in the log lines of the request', async () => {
    await (await ask('/flv/broken', 'mine')).text()
    expect(fixture.lines.find(({ msg }) => msg === 'request failed')).to.include({ requestId: 'mine' })
    await (await ask('/flv/none', 'yours')).text()
    await waitFor(() => fixture.lines.some(({ requestId }) => requestId === 'yours'))
  })
})
