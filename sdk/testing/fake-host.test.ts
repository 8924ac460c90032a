import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { Type } from 'typebox'
import { tcpConfig } from '../config/groups.ts'
import type { PluginContext } from '../plugin/context.ts'
import { definePlugin, type PluginDefinition } from '../plugin/define-plugin.ts'
import { requestUrl } from '../http/request.ts'
import { createFakeHost, type FakeHost, type FakeHostOptions } from './fake-host.ts'
import { sessionInit } from './fake-streams.ts'

const config = Type.Object({ tcp: tcpConfig({ listenaddr: ':7' }), greeting: Type.String({ default: 'hello' }) })
type Setup = PluginDefinition<typeof config>['setup']

function pluginOf(setup: Setup): PluginDefinition<typeof config> {
  return definePlugin({ name: 'echo', version: '1.0.0', mounts: ['echo', 'e'], provides: ['voice'], config, setup })
}

describe('createFakeHost', () => {
  let host: FakeHost<unknown> | undefined
  afterEach(async () => {
    await host?.dispose()
    host = undefined
  })

  async function start(setup: Setup, options?: FakeHostOptions) {
    const started = await createFakeHost(pluginOf(setup), options)
    host = started
    return started
  }

  const echo: Setup = async (ctx) => {
    await ctx.net.tcp(ctx.config.tcp, (socket) => socket.pipe(socket))
  }

  it('lends real listeners on free ports, plain and TLS', async () => {
    const { net } = await start(echo, { config: { tcp: { listenaddrtls: ':8' } } })
    const plain = connect(net.port())
    const secure = connectTls({ port: net.port('tls'), rejectUnauthorized: false })
    for (const socket of [plain, secure]) {
      socket.write('ping')
      expect(String((await once(socket, 'data'))[0])).to.equal('ping')
    }
  })

  it('listens nowhere when the address is empty', async () => {
    const { net } = await start(echo, { config: { tcp: { listenaddr: '' } } })
    expect(net.listeners).to.have.length(1).with.nested.property('[0].addresses').that.is.empty
    expect(() => net.port()).to.throw('listens on no tcp address')
  })

  it('ends a connection whose handler throws, and says so in the log', async () => {
    const { net, log } = await start(async (ctx) => {
      await ctx.net.tcp(ctx.config.tcp, () => {
        throw new Error('broken')
      })
    })
    await once(connect(net.port()), 'close')
    expect(log.problems.map(({ msg, plugin }) => [msg, plugin])).to.eql([['a connection handler failed', 'echo']])
  })

  it('serves routes and WebSocket requests below the mounts', async () => {
    const { http } = await start((ctx) => {
      ctx.http.get('/url/*', (request) => ({ url: request.url, full: requestUrl(request.raw) }))
      ctx.http.server.on('upgrade', (request: IncomingMessage, socket: Socket) => socket.end(`up ${request.url}`))
    })
    const response = await fetch(`${http.origin}/e/url/x?a=1`)
    expect(await response.json()).to.eql({ url: '/url/x?a=1', full: `${http.origin}/e/url/x?a=1` })
    expect((await fetch(`${http.origin}/echo/none`)).status).to.equal(404)
    expect((await fetch(`${http.origin}/echoes/url/x`)).status).to.equal(404)
    const socket = connect(Number(new URL(http.origin).port))
    socket.write('GET /echo/ws HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n')
    expect(String((await once(socket, 'data'))[0])).to.equal('up /ws')
  })

  it('gives the config, and tells of changes', async () => {
    const greetings: string[] = []
    const started = await start((ctx) => {
      greetings.push(ctx.config.greeting)
      ctx.onConfig(({ greeting }) => void greetings.push(greeting))
    })
    started.configure({ greeting: 'bye' })
    expect(greetings).to.eql(['hello', 'bye'])
    expect(started.ctx.config.greeting).to.equal('bye')
  })

  it('runs tasks, and stops them at the end', async () => {
    const started = await start((ctx) => {
      ctx.tasks.start({ owner: 'live/a', run: (signal) => once(signal, 'abort').then(() => undefined) })
      ctx.tasks.start({ owner: 'live/b', run: () => Promise.reject(new Error('broken')) })
    })
    const [running, failed] = started.tasks.all
    await failed?.done
    expect(started.log.problems.map(({ msg }) => msg)).to.eql(['a task failed'])
    expect([running?.running, failed?.running]).to.eql([true, false])
    await started.dispose()
    expect([running?.running, running?.stopReason]).to.eql([false, 'unloaded'])
  })

  it('refuses services that the definition does not name', async () => {
    const { services } = await start((ctx) => {
      // No service has a type here: plugins declare theirs.
      const services = ctx.services as { provide(name: string, service: unknown): void }
      services.provide('voice', 'voice')
      expect(() => services.provide('other', 'other')).to.throw('does not name the service other')
    })
    expect([...services.provided]).to.eql([['voice', 'voice']])
  })

  it('undoes everything, latest first, once', async () => {
    const order: string[] = []
    let context: PluginContext<unknown> | undefined
    const started = await start(async (ctx) => {
      context = ctx
      ctx.onDrain(() => order.push('drain'))
      ctx.onDispose(() => void order.push('first'))
      ctx.onDispose(() => void order.push('second'))
      ctx.signal.addEventListener('abort', () => order.push('abort'))
      ctx.hooks.on('published', () => undefined)
      const publisher = await ctx.streams.publish(sessionInit('live/test'))
      publisher.onClose(({ code }) => order.push(code))
      await ctx.net.tcp(ctx.config.tcp, (socket) => socket.on('error', () => undefined))
    })
    const socket = connect(started.net.port())
    await once(socket, 'connect')
    await Promise.all([started.dispose(), started.dispose(), once(socket, 'close')])
    expect(order).to.eql(['drain', 'unloaded', 'abort', 'second', 'first'])
    expect([context?.signal.aborted, started.hooks.count('published')]).to.eql([true, 0])
  })

  it('tells once that a newer generation has taken over, whatever a listener throws', async () => {
    let told = 0
    const started = await start((ctx) => {
      ctx.onDrain(() => {
        throw new Error('broken')
      })
      ctx.onDrain(() => told++)
    })
    started.drain()
    started.ctx.onDrain(() => told++)
    await started.dispose()
    expect(told).to.equal(2)
    expect(started.log.problems.map(({ msg }) => msg)).to.eql(['a drain listener failed'])
  })

  it('passes on what setup throws, and leaves nothing open', async () => {
    let disposed = false
    const failing = createFakeHost(
      pluginOf(async (ctx) => {
        ctx.onDispose(() => void (disposed = true))
        await ctx.net.tcp(ctx.config.tcp, () => undefined)
        throw new Error('no')
      }),
    )
    expect(await failing.catch((error: unknown) => error)).to.have.property('message', 'no')
    expect(disposed).to.equal(true)
  })
})
