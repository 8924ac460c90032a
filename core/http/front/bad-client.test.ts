import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { HttpFixture, readAll, waitFor } from '../testing/http-fixture.ts'

const LIMITS = {
  headersTimeoutMs: 150,
  requestTimeoutMs: 200,
  keepAliveTimeoutMs: 100,
  idleTimeoutMs: 300,
  checkIntervalMs: 20,
  maxPipelinedRequests: 4,
}

describe('HTTP server and bad clients', () => {
  let fixture: HttpFixture
  /** Hosts that `/asked` was asked for, in that order. */
  let asked: string[]

  beforeEach(async () => {
    fixture = new HttpFixture({ ...LIMITS, maxHeaderBytes: 2_048, maxUrlLength: 512, maxBodyBytes: 1_024 })
    fixture.host.admin.post('/api/echo', ({ body }) => ({ body }))
    fixture.host.core.get('/big', (_request, reply) => reply.send(Buffer.alloc(50_000_000)))
    asked = []
    fixture.host.core.get('/asked', ({ host }) => String(asked.push(host)))
    fixture.host.core.get('/never', () => new Promise(() => {}))
    fixture.host.core.get('/stream', (_request, reply) => {
      reply.hijack()
      reply.raw.writeHead(200, { 'content-type': 'video/x-flv' })
      reply.raw.write('media')
    })
    await fixture.host.start()
  })

  afterEach(() => fixture.close())

  function closings(): string[] {
    return fixture.lines
      .filter(({ level, msg }) => level === 'info' && msg.startsWith('connection closed'))
      .map(({ msg }) => msg)
  }

  it('closes connections that say nothing, with one line each', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => readAll(fixture.dial())))
    for (const answer of answers) expect(answer).to.match(/^HTTP\/1\.1 408 /)
    expect(closings()).to.have.length(20)
    expect(fixture.lines.filter(({ level }) => level === 'warn' || level === 'error')).to.deep.equal([])
  })

  const SLOW = [
    { name: 'half a request line', text: 'GET /api/ec' },
    { name: 'half a header', text: 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ' },
    {
      name: 'half a body',
      text: 'POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    },
    {
      name: 'half a chunk',
      text: 'POST /api/echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n{',
    },
  ]
  for (const { name, text } of SLOW) {
    it(`closes a connection that sends ${name}`, async () => {
      expect(await fixture.exchange(text)).to.match(/^HTTP\/1\.1 408 /)
      expect(closings()).to.have.length(1)
    })
  }

  it('closes a connection that drips its headers', async () => {
    const client = fixture.dial()
    client.write('GET / HTTP/1.1\r\n')
    const drip = setInterval(() => client.write('X: y\r\n'), 10)
    await readAll(client)
    clearInterval(drip)
    expect(closings()).to.have.length(1)
  })

  it('closes a connection that asks no more', async () => {
    const answer = await fixture.exchange('GET /x HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(answer).to.match(/^HTTP\/1\.1 404 /)
  })

  it('closes a connection that reads nothing of its answer', async () => {
    const client = fixture.dial()
    client.write('GET /big HTTP/1.1\r\nHost: x\r\n\r\n')
    client.pause()
    await waitFor(() => fixture.lines.some(({ msg, path }) => msg === 'request' && path === '/big'))
  })

  it('closes a connection that asks again and again without an answer', async () => {
    const client = fixture.dial()
    client.write('GET /never HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(LIMITS.maxPipelinedRequests + 2))
    await readAll(client)
    expect(closings()).to.have.length(1)
  })

  it('answers as many requests at once as there may be', async () => {
    const last = 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'
    const answers = await fixture.exchange(
      'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(LIMITS.maxPipelinedRequests - 1) + last,
    )
    expect(answers.match(/HTTP\/1\.1 404/g)).to.have.length(LIMITS.maxPipelinedRequests)
  })

  it('answers others before a client that asks for much at once', async () => {
    const clients = ['greedy', 'modest'].map((name) => ({ name, socket: fixture.dial() }))
    await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
    // In one turn of this process, which is the server's, too: both have come when it looks.
    const answered = clients.map(({ name, socket }, index) => {
      const request = `GET /asked HTTP/1.1\r\nHost: ${name}\r\n\r\n`
      socket.write(request.repeat(index === 0 ? LIMITS.maxPipelinedRequests - 1 : 1))
      return once(socket, 'data')
    })
    await Promise.all(answered)
    await waitFor(() => asked.length === LIMITS.maxPipelinedRequests)
    expect(asked.indexOf('modest')).to.be.below(asked.lastIndexOf('greedy'))
  })

  it('reads what comes with or after an upgrade as the new protocol', async () => {
    const received: string[] = []
    const plugin = await fixture.plugin('ws')
    plugin.instance.server.on('upgrade', (_request, socket: Socket, head: Buffer) => {
      received.push(head.toString())
      socket.on('data', (bytes) => received.push(bytes.toString()))
      socket.on('end', () => socket.end('over'))
      socket.write('up ')
    })
    await plugin.activate()
    const client = fixture.dial()
    const all = readAll(client)
    client.write('GET /ws/a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nframe\r\n\r\nframe')
    await once(client, 'data')
    client.end('more')
    expect(await all).to.match(/over$/u)
    expect(received.join('')).to.equal('frame\r\n\r\nframemore')
  })

  it('answers what a client asked for before it hung up', async () => {
    const client = fixture.dial()
    const all = readAll(client)
    client.end('GET /x HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(LIMITS.maxPipelinedRequests))
    expect((await all).match(/HTTP\/1\.1 404/g)).to.have.length(LIMITS.maxPipelinedRequests)
  })

  const MALFORMED = [
    { name: 'random bytes', text: '\u0003\u0000\u0000\u0013\u000E\u0000\r\n\r\n', status: 400 },
    { name: 'no host', text: 'GET / HTTP/1.1\r\n\r\n', status: 400 },
    { name: 'two hosts', text: 'GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n', status: 400 },
    { name: 'a host that is none', text: 'GET / HTTP/1.1\r\nHost: a@x\r\n\r\n', status: 400 },
    {
      name: 'a WebSocket with two hosts',
      text: 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
      status: 400,
    },
    {
      name: 'two lengths',
      text: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      status: 400,
    },
    { name: 'a bad escape', text: 'GET /api/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', status: 400 },
    { name: 'long headers', text: `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(4_000)}\r\n\r\n`, status: 431 },
    {
      name: 'a long URL',
      text: `GET /${'y'.repeat(600)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      status: 414,
    },
    {
      name: 'a long body',
      text: `POST /api/echo HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n${'1'.repeat(2_000)}`,
      status: 413,
    },
  ]
  for (const { name, text, status } of MALFORMED) {
    it(`answers ${status} to ${name}`, async () => {
      expect(await fixture.exchange(text)).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
      const shown = fixture.lines.filter(({ level, msg }) => level !== 'debug' && !msg.startsWith('listening'))
      expect(shown.map(({ msg }) => msg)).to.deep.equal(closings())
    })
  }

  it('writes no error into an answer that is under way', async () => {
    const client = fixture.dial()
    client.write('GET /stream HTTP/1.1\r\nHost: x\r\n\r\n')
    const [first] = (await once(client, 'data')) as Buffer[]
    client.write('\u0000garbage\r\n\r\n')
    const rest = await readAll(client)
    expect(`${first?.toString()}${rest}`).not.to.contain('HTTP/1.1 400')
  })

  it('names no software, and logs no query and no credentials', async () => {
    const answer = await fixture.exchange(
      'GET /x?secret=hidden HTTP/1.1\r\nHost: x\r\nAuthorization: hidden\r\nConnection: close\r\n\r\n',
    )
    expect(answer).not.to.match(/^(?:server|x-powered-by):/im)
    await fixture.exchange('GET /?secret=hidden HTTP/1.1\r\nAuthorization: hidden\r\nBad Header\r\n\r\n')
    expect(fixture.lines.some(({ path }) => path === '/x')).to.be.true
    expect(JSON.stringify(fixture.lines)).not.to.contain('hidden')
  })
})
