import { once } from 'node:events'
import { expect } from 'chai'
import type { RoutedRequest } from 'sluice/sdk/http'
import { WebSocket, WebSocketServer } from 'ws'
import type { PluginHttp } from './plugin-http.ts'
import { HttpFixture, waitFor } from './testing/http-fixture.ts'

const UPGRADE = ['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'].join('\r\n')

async function message(client: WebSocket): Promise<string> {
  const [data] = (await once(client, 'message')) as Buffer[]
  return String(data)
}

describe('WebSocket upgrade', () => {
  let fixture: HttpFixture

  beforeEach(async () => {
    fixture = new HttpFixture({ upgradeTimeoutMs: 100 })
    await fixture.host.start()
  })

  afterEach(() => fixture.close())

  async function echo(label: string): Promise<PluginHttp> {
    const plugin = await fixture.plugin('flv')
    const server = new WebSocketServer({ noServer: true })
    plugin.instance.server.on('upgrade', (request: RoutedRequest, socket, head) => {
      server.handleUpgrade(request, socket, head, (client) => {
        client.send(`${label} ${request.url} ${request.originalUrl}`)
        client.on('message', (data: Buffer) => client.send(data.toString()))
      })
    })
    await plugin.activate()
    return plugin
  }

  function open(path: string): WebSocket {
    return new WebSocket(fixture.url(path).replace('http', 'ws')).on('error', () => {})
  }

  it('reaches the plugin without the prefix', async () => {
    const plugin = await echo('first')
    const client = open('/flv/live/a.flv?x=1')
    expect(await message(client)).to.equal('first /live/a.flv?x=1 /flv/live/a.flv?x=1')
    expect(plugin.openRequests).to.equal(1)
    client.close()
    await waitFor(() => plugin.openRequests === 0)
  })

  it('works with the ws package on the server itself', async () => {
    const plugin = await fixture.plugin('flv')
    const server = new WebSocketServer({ server: plugin.instance.server, path: '/chat' })
    server.on('connection', (client) => client.send('hello'))
    await plugin.activate()
    const client = open('/flv/chat')
    expect(await message(client)).to.equal('hello')
    client.terminate()
  })

  it('goes to the new generation, while connections of the old one go on', async () => {
    const first = await echo('first')
    const old = open('/flv/a')
    await once(old, 'message')
    await echo('second')
    const fresh = open('/flv/a')
    expect(await message(fresh)).to.match(/^second/)
    old.send('still here')
    expect(await message(old)).to.equal('still here')
    await first.dispose()
    await once(old, 'close')
    fresh.terminate()
  })

  it('is refused where nobody listens', async () => {
    const silent = await fixture.plugin('flv')
    await silent.activate()
    for (const path of ['/flv/a', '/nothing', '/']) {
      const answer = await fixture.exchange(`GET ${path} HTTP/1.1\r\n${UPGRADE}\r\n\r\n`)
      expect(answer).to.match(/^HTTP\/1\.1 404 Not Found\r\n/)
      expect(answer).to.contain('{"code":5,"message":"not found","details":[]}')
    }
  })

  it('is refused when the listener does nothing with it', async () => {
    const idle = await fixture.plugin('flv')
    idle.instance.server.on('upgrade', () => {})
    await idle.activate()
    expect(await fixture.exchange(`GET /flv/a HTTP/1.1\r\n${UPGRADE}\r\n\r\n`)).to.match(/^HTTP\/1\.1 404 /)
  })

  it('is answered 500 when the listener throws or rejects', async () => {
    const failing = await fixture.plugin('flv')
    failing.instance.server.on('upgrade', ({ url }: RoutedRequest) => {
      if (url === '/throw') throw new Error('thrown')
      const rejection: unknown = Promise.reject(new Error('rejected'))
      return rejection
    })
    await failing.activate()
    for (const path of ['/throw', '/reject']) {
      const answer = await fixture.exchange(`GET /flv${path}?secret HTTP/1.1\r\n${UPGRADE}\r\n\r\n`)
      expect(answer).to.match(/^HTTP\/1\.1 500 /)
      expect(answer).not.to.contain('ected')
    }
    expect(fixture.lines.filter(({ level }) => level === 'error').map(({ path }) => path)).to.deep.equal([
      '/flv/throw',
      '/flv/reject',
    ])
    expect(JSON.stringify(fixture.lines)).not.to.contain('secret')
  })

  it('to anything but WebSocket is passed over', async () => {
    fixture.host.core.server.on('upgrade', () => expect.fail('upgraded'))
    const plugin = await fixture.plugin('flv')
    plugin.instance.get('/a', () => 'plain')
    await plugin.activate()
    const headers =
      'Host: x\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__'
    expect(await fixture.exchange(`GET /flv/a HTTP/1.1\r\n${headers}\r\n\r\n`)).to.match(/^HTTP\/1\.1 200 [^]*plain/)
  })
})
