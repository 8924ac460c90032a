import { once } from 'node:events'
import { expect } from 'chai'
import { Type } from 'sluice/sdk'
import { WebSocket, WebSocketServer } from 'ws'
import { MemoryBus } from '../peers/testing/memory-bus.ts'
import type { PluginHttp } from './plugin-http.ts'
import { HttpFixture } from './testing/http-fixture.ts'

describe('requests that another process is to answer', () => {
  let bus: MemoryBus
  let servers: HttpFixture[]
  beforeEach(async () => {
    bus = new MemoryBus()
    servers = [0, 1].map((process) => new HttpFixture({}, {}, {}, bus.join(process)))
    for (const { host } of servers) await host.start()
  })
  afterEach(() => Promise.all(servers.map((server) => server.close())))

  const serverOf = (process: number): HttpFixture => {
    const server = servers[process]
    if (server === undefined) throw new Error('there are two')
    return server
  }

  /** Starts a plugin that answers everything with its process, the path that it sees, and the body. */
  async function take(process: number, name = 'whip', listenaddr?: string): Promise<PluginHttp> {
    const plugin = await serverOf(process).plugin(name, [name], listenaddr === undefined ? {} : { listenaddr })
    plugin.instance.addContentTypeParser('text/plain', { parseAs: 'string' }, (_, body, done) => done(null, body))
    plugin.instance.all('/*', ({ url, body }) => `${process} ${url}${body === undefined ? '' : ` ${body as string}`}`)
    const sockets = new WebSocketServer({ noServer: true })
    plugin.instance.server.on('upgrade', (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (client) => {
        client.on('message', (data: Buffer) => client.send(`${process} ${data.toString()}`))
      })
    })
    await plugin.activate()
    return plugin
  }

  async function ask(process: number, path: string, init: RequestInit = {}, origin?: string) {
    const response = await fetch((origin ?? serverOf(process).url('')) + path, init)
    return { status: response.status, text: await response.text(), headers: response.headers }
  }

  it('reach the process that made their token, with method and body; all others stay', async () => {
    const [first, second] = [await take(0), await take(1)]
    const [ofFirst, ofSecond] = [first.sessionToken(), second.sessionToken()]
    const patch = { method: 'PATCH', body: 'candidate', headers: { 'content-type': 'text/plain' } }
    expect((await ask(0, `/whip/${ofSecond}`, patch)).text).to.equal(`1 /${ofSecond} candidate`)
    expect((await ask(1, `/whip/live?t=${ofFirst}`, { method: 'DELETE' })).text).to.equal(`0 /live?t=${ofFirst}`)
    expect((await ask(0, `/whip/${ofFirst}`)).text).to.equal(`0 /${ofFirst}`)
    expect([(await ask(0, '/whip/live')).text, (await ask(1, '/whip/live')).text]).to.eql(['0 /live', '1 /live'])
  })

  it('reach its older generations, too', async () => {
    await take(0)
    const older = await take(1)
    const token = older.sessionToken()
    const newer = await serverOf(1).plugin('whip')
    newer.instance.all('/*', () => 'newer')
    await newer.activate()
    await older.retire()
    expect((await ask(0, `/whip/${token}`)).text).to.equal(`1 /${token}`)
    await older.dispose()
    expect((await ask(0, `/whip/${token}`)).text).to.equal('newer')
  })

  it('reach it by WebSocket', async () => {
    await take(0)
    const token = (await take(1)).sessionToken()
    const talk = async (path: string) => {
      const client = new WebSocket(serverOf(0).url(path).replace('http', 'ws'))
      await once(client, 'open')
      client.send('hello')
      const [data] = (await once(client, 'message')) as Buffer[]
      client.terminate()
      return String(data)
    }
    expect([await talk(`/whip/chat?t=${token}`), await talk('/whip/chat')]).to.eql(['1 hello', '0 hello'])
  })

  it("reach it through an address of the plugin's own", async () => {
    const first = await take(0, 'whip', '127.0.0.2:0')
    const token = (await take(1, 'whip', '127.0.0.3:0')).sessionToken()
    const origin = `http://127.0.0.2:${first.addresses[0]?.port}`
    expect((await ask(0, `/live/${token}`, {}, origin)).text).to.equal(`1 /live/${token}`)
    expect((await ask(0, '/live/a', {}, origin)).text).to.equal('0 /live/a')
  })

  it('are answered 503 while it does not answer, and here once it is known to be gone', async () => {
    await take(0)
    const token = (await take(1)).sessionToken()
    bus.silence(1)
    const { status, headers, text } = await ask(0, `/whip/${token}`)
    expect([status, headers.get('retry-after'), text.includes('does not answer')]).to.eql([503, '2', true])
    const client = new WebSocket(serverOf(0).url(`/whip/${token}`).replace('http', 'ws'))
    const [error] = (await once(client, 'error')) as [Error]
    expect(error.message).to.include('503')
    bus.leave(1)
    expect((await ask(0, `/whip/${token}`)).text).to.equal(`0 /${token}`)
  })

  it('are those for a plugin that only one process runs, and for its operations', async () => {
    const plan = await serverOf(1).plugin('plan')
    plan.instance.get('/page', () => 'the page')
    const operation = { summary: 'Plans', wire: 'bare', answer: Type.String(), handle: () => 'plans' } as const
    plan.operations.add({
      method: 'GET',
      path: '/api/plans/of/{id}',
      params: Type.Object({ id: Type.Integer() }),
      ...operation,
    })
    await plan.activate()
    expect((await ask(0, '/plan/page')).text).to.equal('the page')
    expect((await ask(0, '/api/plans/of/7')).text).to.equal('"plans"')
    expect((await ask(0, '/api/plans/of/none')).status).to.equal(400)
    expect([(await ask(0, '/nowhere')).status, (await ask(1, '/api/nowhere')).status]).to.eql([404, 404])
  })
})

describe('administration with addresses of its own, in several processes', () => {
  it('answers there what another process has, and nowhere else', async () => {
    const bus = new MemoryBus()
    const admin = { listenaddr: '127.0.0.1:0' }
    const servers = [0, 1].map((process) => new HttpFixture({}, {}, admin, bus.join(process)))
    const [first, second] = servers
    for (const { host } of servers) await host.start()
    const plan = await second?.plugin('plan')
    const operation = { summary: 'Plans', wire: 'bare', answer: Type.String(), handle: () => 'plans' } as const
    plan?.operations.add({ method: 'GET', path: '/api/plans', ...operation })
    await plan?.activate()
    const adminPort = first?.host.adminAddresses[0]?.port
    const statuses = [first?.port, adminPort].map(
      async (port) => (await fetch(`http://127.0.0.1:${port}/api/plans`)).status,
    )
    expect(await Promise.all(statuses)).to.eql([404, 200])
    await Promise.all(servers.map((server) => server.close()))
  })
})
