import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { definePlugin, StreamDenied, tcpConfig, Type, untilAborted, type PluginDefinition } from 'sluice/sdk'
import { CollectingSink, ScriptedPublisher, ScriptedSubscriber, sessionInit } from 'sluice/sdk/testing'
import { createTestServer } from 'sluice/testing'
import { waitFor } from '../../test/peers/wait-for.ts'
import { keep } from '../../test/peers/lifetime.ts'
import { rejectionOf } from '../../test/support/rejection.ts'

const EchoConfig = Type.Object({
  tcp: tcpConfig({ listenaddr: ':7777' }),
  greeting: Type.String({ default: 'hello' }),
  limit: Type.Integer({ default: 3, maximum: 10 }),
})

/** A plugin with a listener, a route, and sessions that come by that route. */
function echo(setup?: PluginDefinition<typeof EchoConfig>['setup']) {
  return definePlugin({
    name: 'echo',
    version: '1.0.0',
    config: EchoConfig,
    live: ['greeting'],
    setup: async (ctx) => {
      await setup?.(ctx)
      await ctx.net.tcp(ctx.config.tcp, (socket) => void socket.on('error', () => {}).end(ctx.config.greeting))
      ctx.http.get('/play', async () => {
        const subscriber = await ctx.streams.subscribe(sessionInit('live/a'))
        return { codecs: subscriber.tracks.map(({ codec }) => codec) }
      })
    },
  })
}

async function start(...args: Parameters<typeof createTestServer<typeof EchoConfig>>) {
  const server = await createTestServer(...args)
  keep({ close: () => server.stop() })
  return server
}

async function said(port: number): Promise<string> {
  const [bytes] = (await once(connect(port, '127.0.0.1'), 'data')) as [Buffer]
  return bytes.toString()
}

describe('createTestServer', () => {
  it('runs the plugin with its section, on free ports', async () => {
    const server = await start(echo(), { config: { greeting: 'hi', subscribe: { waittimeout: '80ms' } } })
    expect(server.ctx.config).to.deep.include({ greeting: 'hi', limit: 3 })
    expect(server.ctx.config.subscribe.waittimeout).to.equal(80)
    expect(server.port()).to.not.equal(7777)
    expect(await said(server.port())).to.equal('hi')
    expect(() => server.port('tls')).to.throw('no listener with TLS')
    expect(server.problems).to.eql([])
  })

  it('runs shipped plugins beside it, by their names', async () => {
    const source = definePlugin({
      name: 'source',
      version: '1.0.0',
      provides: ['pull:source'],
      setup({ services, streams }) {
        services.provide('pull:source', {
          schemes: ['source'],
          async pull({ session, options, signal }) {
            const publisher = await streams.publish(session, options)
            await untilAborted(signal).catch(() => {})
            publisher.close()
            return { by: 'source' }
          },
        })
      },
    })
    const server = await createTestServer(source, { beside: ['relay'], config: { pull: { 'live/a': 'source://a' } } })
    keep({ close: () => server.stop() })
    await waitFor(() => server.streams.get('live/a') !== undefined, { what: 'the stream that the rule pulls' })
    expect(server.problems).to.eql([])
    expect(await rejectionOf(createTestServer(source, { beside: ['nothing'] }))).to.include({ code: 'ENOENT' })
  })

  it('runs other plugins beside it', async () => {
    const other = definePlugin({
      name: 'other',
      version: '1.0.0',
      setup: (ctx) => void ctx.http.get('/', async () => 'here'),
    })
    const server = await start(echo(), { beside: [other] })
    expect(await (await fetch(`${server.origin}/other/`)).text()).to.equal('here')
    expect(server.ctx.plugins.get('other')?.isRunning).to.equal(true)
    expect(server.problems).to.eql([])
  })

  it('has the streams that the test publishes, and shows it the sessions of the plugin', async () => {
    const server = await start(echo())
    const script = new ScriptedPublisher(await server.streams.publish(sessionInit('live/a')), { audio: false })
    script.write(2)
    const answer = await fetch(`${server.origin}/echo/play`)
    expect(await answer.json()).to.eql({ codecs: ['h264'] })
    expect(server.requests).to.have.length(1)
    expect(server.requests[0]).to.include({ action: 'play', protocol: 'echo', streamPath: 'live/a' })
    expect(server.streams.subscribers().map(({ pluginName }) => pluginName)).to.eql(['echo'])
    const reader = new ScriptedSubscriber(await server.streams.subscribe(sessionInit('live/a')))
    await waitFor(() => reader.units.length === 2)
  })

  it('denies sessions, but not those of the test, and tells clients no cause', async () => {
    const server = await start(echo())
    server.denyAll('not today')
    const refused = await server.ctx.streams.publish(sessionInit('live/a')).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(StreamDenied)
    const answer = await fetch(`${server.origin}/echo/play`)
    expect([answer.status, (await answer.text()).includes('not today')]).to.eql([401, false])
    expect(await server.streams.publish(sessionInit('live/a'))).to.have.property('streamPath', 'live/a')
  })

  it('takes another section over, live where the plugin does, or refuses it', async () => {
    const server = await start(echo())
    const { ctx } = server
    await server.configure({ greeting: 'bye' })
    expect([ctx.config.greeting, await said(server.port())]).to.eql(['bye', 'bye'])
    await server.configure({ greeting: 'bye', limit: 5 })
    expect(server.ctx).not.to.equal(ctx)
    expect(server.ctx.config.limit).to.equal(5)
    const error = await server.configure({ limit: 99 }).catch((thrown: unknown) => thrown)
    expect(error).to.be.an('error').with.property('message').that.includes('limit')
    expect(server.ctx.config.limit).to.equal(5)
  })

  it('lets another generation take over, and keeps the sessions of the one before', async () => {
    const told: string[] = []
    const server = await start(echo((ctx) => ctx.onDrain(() => told.push('drain'))))
    const publisher = await server.ctx.streams.publish(sessionInit('live/a'))
    const { ctx } = server
    await server.replace()
    await waitFor(() => told.length > 0)
    expect(server.ctx).not.to.equal(ctx)
    const sink = new CollectingSink()
    new ScriptedPublisher(publisher).write(1)
    const subscriber = await server.streams.subscribe(sessionInit('live/a'))
    subscriber.attach({ name: 'x', createMuxer: () => ({ start: bytes, configure: () => null, mux: bytes }) }, sink)
    await waitFor(() => sink.writes.length > 0)
  })

  it('says why the plugin cannot start', async () => {
    const broken = echo(() => {
      throw new Error('no camera')
    })
    const failed = await createTestServer(broken).catch((thrown: unknown) => thrown)
    expect(failed).to.be.an('error').with.property('message').that.includes('no camera')
    const wrong = await createTestServer(echo(), { config: { limit: 99 } }).catch((thrown: unknown) => thrown)
    expect(wrong).to.be.an('error').with.property('message').that.includes('limit')
  })

  it('stops, which unloads the plugin', async () => {
    const told: string[] = []
    const server = await start(echo((ctx) => ctx.onDispose(() => void told.push('disposed'))))
    const port = server.port()
    await Promise.all([server.stop(), server.stop()])
    expect(told).to.eql(['disposed'])
    const [error] = (await once(connect(port, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
    expect(error.code).to.equal('ECONNREFUSED')
  })
})

function bytes(): Buffer {
  return Buffer.from('x')
}
