import { once } from 'node:events'
import { connect } from 'node:http2'
import type { Socket } from 'node:net'
import { expect } from 'chai'
import { StreamDenied, type PluginContext, type SessionInit, type Subscriber } from 'sluice/sdk'
import { serveLive, type LiveOutput } from 'sluice/sdk/http'
import { WebSocket } from 'ws'
import { HttpFixture, readAll, waitFor } from './testing/http-fixture.ts'

const LIMITS = { upgradeTimeoutMs: 50, idleTimeoutMs: 50, checkIntervalMs: 10 }

/** What a viewer waits for, the server waits for: no limit of a connection may be shorter. */
describe('a viewer who waits for a stream', () => {
  let fixture: HttpFixture
  let waiting: PromiseWithResolvers<Subscriber>[]
  let signals: (AbortSignal | undefined)[]

  beforeEach(async () => {
    fixture = new HttpFixture(LIMITS, { listenaddrtls: '127.0.0.1:0' })
    waiting = []
    signals = []
    const plugin = await fixture.plugin('flv')
    const subscribe = ({ signal }: SessionInit) => {
      signals.push(signal)
      waiting.push(Promise.withResolvers<Subscriber>())
      return waiting.at(-1)?.promise
    }
    const ctx = { http: plugin.instance, streams: { subscribe }, log: fixture.log }
    serveLive(ctx as unknown as PluginContext<unknown>, { extension: 'flv' } as LiveOutput)
    await plugin.activate()
    fixture.host.core.get('/big', (_request, reply) => reply.send(Buffer.alloc(50_000_000)))
    const idle = await fixture.plugin('idle')
    idle.instance.server.on('upgrade', () => {})
    await idle.activate()
    await fixture.host.start()
  })

  afterEach(() => fixture.close())

  function deny(): void {
    for (const { reject } of waiting) reject(new StreamDenied('time is over'))
  }

  it('over WebSocket waits longer than an upgrade that nobody cares for', async () => {
    const viewer = new WebSocket(fixture.url('/flv/live/late').replace('http', 'ws')).on('error', () => {})
    const answered = once(viewer, 'unexpected-response') as Promise<[unknown, { statusCode: number }]>
    await waitFor(() => waiting.length === 1)
    const upgrade = 'GET /idle/x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'
    expect(await fixture.exchange(upgrade)).to.match(/^HTTP\/1\.1 404 /u)
    deny()
    const [, { statusCode }] = await answered
    expect(statusCode).to.equal(401)
  })

  /** A client that takes none of its answer; resolves when the server has had enough of it. */
  async function stalled(): Promise<void> {
    const client: Socket = fixture.dial()
    client.write('GET /big HTTP/1.1\r\nHost: x\r\n\r\n')
    client.pause()
    await waitFor(() => fixture.lines.some(({ msg, path }) => msg === 'request' && path === '/big'))
  }

  it('over HTTP/1 waits longer than a client that reads nothing', async () => {
    const viewer = fixture.dial()
    viewer.write('GET /flv/live/late HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const answer = readAll(viewer)
    await waitFor(() => waiting.length === 1)
    await stalled()
    deny()
    expect(await answer).to.match(/^HTTP\/1\.1 401 /u)
  })

  it('over HTTP/1 is waited for no longer when it hangs up', async () => {
    const viewer = fixture.dial()
    viewer.write('GET /flv/live/late HTTP/1.1\r\nHost: x\r\n\r\n')
    await waitFor(() => waiting.length === 1)
    viewer.end()
    await waitFor(() => signals[0]?.aborted === true)
    deny()
  })

  it('over HTTP/2 waits longer than a client that reads nothing', async () => {
    const port = fixture.host.addresses.find(({ tls }) => tls)?.port ?? 0
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false })
    const response = once(session.request({ ':path': '/flv/live/late' }), 'response')
    await waitFor(() => waiting.length === 1)
    await stalled()
    deny()
    const [headers] = (await response) as [Record<string, unknown>]
    expect(headers[':status']).to.equal(401)
    session.destroy()
  })
})
