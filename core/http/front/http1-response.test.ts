import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { takeOver } from 'sluice/sdk/http'
import type { PluginHttp } from '../plugin-http.ts'
import { HttpFixture, readAll, waitFor } from '../testing/http-fixture.ts'

const LIMITS = { headersTimeoutMs: 100, keepAliveTimeoutMs: 50, idleTimeoutMs: 100, checkIntervalMs: 10 }
const REQUEST = 'GET /flv/live HTTP/1.1\r\nHost: x\r\nOrigin: http://page\r\n\r\n'

describe('taking a connection over', () => {
  let fixture: HttpFixture
  let plugin: PluginHttp
  let taken: Duplex[]
  /** What HTTP has of each request. */
  let held: WeakRef<object>[]

  beforeEach(async () => {
    fixture = new HttpFixture(LIMITS, { listenaddrtls: '127.0.0.1:0' })
    taken = []
    await fixture.host.start()
    plugin = await fixture.plugin('flv')
    held = []
    plugin.instance.get('/live', { config: { access: 'public' } }, async (request, reply) => {
      held.push(new WeakRef(request.raw), new WeakRef(reply.raw))
      taken.push(await takeOver(reply, 200, { 'content-type': 'video/x-flv' }))
      return reply
    })
    plugin.instance.get('/never', () => new Promise(() => {}))
    await plugin.activate()
  })

  afterEach(async () => {
    await plugin.dispose()
    await fixture.close()
  })

  async function play(): Promise<{ readonly client: Socket; readonly stream: Duplex; readonly head: string }> {
    const client = fixture.dial()
    client.write(REQUEST)
    const [head] = (await once(client, 'data')) as Buffer[]
    await waitFor(() => taken.length > 0)
    return { client, stream: taken.at(-1)!, head: String(head) }
  }

  it('sends the head with the headers of CORS, and then what is written as it is', async () => {
    const { client, stream, head } = await play()
    expect(head).to.match(/^HTTP\/1\.1 200 OK\r\n/)
    expect(head.toLowerCase()).to.include('access-control-allow-origin: http://page\r\n')
    expect(head.toLowerCase()).to.include('content-type: video/x-flv\r\n').and.include('connection: close\r\n')
    expect(head.toLowerCase()).not.to.match(/chunked|^content-length:|keep-alive/m)
    stream.write('media')
    stream.end(' ends')
    expect(head.split('\r\n\r\n')[1] + (await readAll(client))).to.equal('media ends')
  })

  it('counts as open until the client leaves', async () => {
    const { client, stream } = await play()
    expect(plugin.openRequests).to.equal(1)
    client.destroy()
    await once(stream, 'close')
    expect(plugin.openRequests).to.equal(0)
  })

  it('tells that a client ends its half, as HTTP does', async () => {
    const { client, stream } = await play()
    client.end()
    await once(stream, 'close')
  })

  it('keeps nothing of HTTP', async () => {
    await play()
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    expect(held).to.have.length(2)
    await waitFor(() => {
      collect()
      return held.every((object) => object.deref() === undefined)
    })
  })

  it('knows no timeout, and takes no notice of what a client still sends', async () => {
    const { client, stream } = await play()
    const before = fixture.lines.length
    client.write('\u0000garbage\r\n\r\n')
    client.write(REQUEST.repeat(50))
    await readAll(fixture.dial())
    await readAll(fixture.dial())
    expect(stream.destroyed).to.be.false
    stream.end('still here')
    expect(await readAll(client)).to.equal('still here')
    expect(taken).to.have.length(1)
    expect(fixture.lines.slice(before).filter(({ reason }) => /parse/i.test(String(reason)))).to.deep.equal([])
  })

  it('ends with its generation', async () => {
    const { client } = await play()
    await plugin.dispose()
    await once(client, 'close')
    expect(plugin.openRequests).to.equal(0)
  })

  it('ends with the server, at its deadline', async () => {
    const { client } = await play()
    await Promise.all([once(client, 'close'), fixture.host.close(20)])
  })

  it('waits until the request before has its answer', async () => {
    const client = fixture.dial()
    let finish = (_text: string): void => {}
    const other = await fixture.plugin('other')
    other.instance.get('/slow', () => new Promise((resolve) => (finish = resolve)))
    await other.activate()
    client.write('GET /other/slow HTTP/1.1\r\nHost: x\r\n\r\n' + REQUEST)
    await waitFor(() => plugin.openRequests === 1 && other.openRequests === 1)
    expect(taken).to.deep.equal([])
    finish('slow')
    await waitFor(() => taken.length === 1)
    taken[0]?.end('media')
    expect(await readAll(client)).to.match(/^HTTP\/1\.1 200 [^]*\r\n\r\nslowHTTP\/1\.1 200 [^]*\r\n\r\nmedia$/)
  })

  it('gives what is ended already when the client left meanwhile', async () => {
    const client = fixture.dial()
    client.write('GET /flv/never HTTP/1.1\r\nHost: x\r\n\r\n' + REQUEST)
    await waitFor(() => plugin.openRequests === 2)
    client.destroy()
    await waitFor(() => taken.length === 1)
    expect(taken[0]?.destroyed).to.be.true
    await waitFor(() => plugin.openRequests === 0)
    expect(fixture.lines.filter(({ level }) => level === 'error')).to.deep.equal([])
  })

  it('gives the stream of a request over HTTP/2, without timeout', async () => {
    const port = fixture.host.addresses.find(({ tls }) => tls)?.port
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    const stream = session.request({ ':path': '/flv/live' })
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
    expect(headers).to.include({ ':status': 200, 'content-type': 'video/x-flv', 'access-control-allow-origin': '*' })
    await readAll(fixture.dial())
    await readAll(fixture.dial())
    taken[0]?.write('media')
    taken[0]?.end(' ends')
    expect(String(Buffer.concat(await stream.toArray()))).to.equal('media ends')
    await waitFor(() => plugin.openRequests === 0)
    session.destroy()
  })
})
