import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { ByteSize, InvalidRequest, PublishConfig, PullRule } from 'sluice/sdk'
import { sessionInit } from 'sluice/sdk/testing'
import type { TSchema } from 'typebox'
import { waitFor } from '../peers/wait-for.ts'
import type { Context, StartContractHost } from './contract-host.ts'

export function describeLife(start: StartContractHost): void {
  describe('config', () => {
    it('is the section over the defaults, in milliseconds and bytes, and frozen', async () => {
      const { config } = (await start(undefined, { greeting: 'hi', publish: { key: 'k', publishtimeout: 3 } })).ctx
      expect(config).to.include({ greeting: 'hi', pause: 90_000, room: 65_536, secretargname: 'secret' })
      expect(config.tcp).to.include({ listenaddr: '127.0.0.1:0', listenaddrtls: '', nodelay: true })
      expect(config.publish).to.include({ key: 'k', publishtimeout: 3000, kickexist: false })
      expect(config.subscribe).to.include({ waittimeout: 80, queuesize: 4 * 1024 * 1024, writemerge: 'auto' })
      expect([config, config.publish, config.tcp].every(Object.isFrozen)).to.equal(true)
    })

    it('tells of a change that the plugin takes live', async () => {
      const told: string[] = []
      const host = await start((ctx) => {
        ctx.onConfig(({ greeting }) => told.push(`${greeting}, now ${ctx.config.greeting}`))
      })
      await host.configure({ greeting: 'bye' })
      await waitFor(() => told.length > 0, { what: 'the change' })
      expect(told).to.eql(['bye, now bye'])
      expect(host.ctx.config.pause).to.equal(90_000)
    })

    it('is what a text is read by, as the file is', async () => {
      const { ctx } = await start()
      const { pubaudio, pausetimeout, maxfps } = PublishConfig.properties
      const read = [
        ctx.readConfigText('sound', '1', pubaudio),
        ctx.readConfigText('pause', '1m30s', pausetimeout),
        ctx.readConfigText('pictures', '25', maxfps),
        ctx.readConfigText('mode', '1', PullRule.properties.testmode),
        ctx.readConfigText('room', '64KB', ByteSize({ default: '1KB' })),
      ]
      expect(read).to.eql([true, 90_000, 25, 1, 65_536])
      const refusals: readonly (readonly [TSchema, string, string])[] = [
        [pubaudio, 'maybe', 'x: expected true or false'],
        [pausetimeout, 'soon', "x: expected a duration such as '500ms', '10s' or '1h30m' (at most 24 days)"],
        [maxfps, '0', 'x: expected an integer of at least 1'],
        [PullRule.properties.testmode, '2', 'x: expected 0 or 1'],
      ]
      for (const [schema, text, message] of refusals) {
        expect(() => ctx.readConfigText('x', text, schema)).to.throw(InvalidRequest, message)
      }
    })
  })

  describe('services', () => {
    it('are found by name, and offered only when the definition names them', async () => {
      let refusal: unknown
      const { ctx } = await start(({ services }) => {
        services.provide('contract:clock', { now: () => 7 })
        try {
          services.provide('contract:none', {})
        } catch (error) {
          refusal = error
        }
      })
      expect(ctx.services.get('contract:clock')?.now()).to.equal(7)
      expect(ctx.services.get('contract:none')).to.equal(undefined)
      expect(refusal).to.be.instanceOf(Error).with.property('message').that.includes('contract:none')
    })
  })

  describe('tasks', () => {
    const untilAborted = async (signal: AbortSignal) => void (await once(signal, 'abort'))

    it('run until they end, fail or are stopped', async () => {
      const { ctx } = await start()
      let aborted = false
      const stopped = ctx.tasks.start({
        owner: 'live/a',
        run: async (signal) => {
          await untilAborted(signal)
          aborted = true
        },
      })
      const ended = ctx.tasks.start({ owner: 'live/b', run: async () => {} })
      const failed = ctx.tasks.start({ owner: 'live/c', run: () => Promise.reject(new Error('broken')) })
      await Promise.all([ended.done, failed.done])
      expect(new Set([stopped.id, ended.id, failed.id]).size).to.equal(3)
      expect(aborted).to.equal(false)
      stopped.stop('enough')
      await stopped.done
      expect(aborted).to.equal(true)
    })
  })

  describe('timers', () => {
    it('fire until they are cancelled or the plugin is unloaded, whatever they throw', async () => {
      const fired = { interval: 0, timeout: 0, cancelled: 0 }
      const host = await start((ctx) => {
        ctx.setInterval(() => {
          fired.interval += 1
          throw new Error('broken')
        }, 1)
        ctx.setTimeout(() => void (fired.timeout += 1), 1)
        ctx.setTimeout(() => void (fired.cancelled += 1), 1)()
      })
      await waitFor(() => fired.interval > 2 && fired.timeout === 1, { what: 'the timers' })
      await host.unload()
      const last = fired.interval
      host.ctx.setTimeout(() => void (fired.cancelled += 1), 1)
      // Timers fire in the order of their times: the plugin's would have come before.
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(fired).to.eql({ interval: last, timeout: 1, cancelled: 0 })
    })
  })

  describe('ownership', () => {
    it('is handed on: what a generation keeps is what the next one finds', async () => {
      const counts = (ctx: Context) => ctx.keep('counts', () => ({ setups: 0 }))
      const host = await start((ctx) => void counts(ctx).setups++)
      const first = counts(host.ctx)
      await host.replace()
      await waitFor(() => first.setups === 2, { what: 'the next generation' })
      expect(counts(host.ctx)).to.equal(first)
      expect(host.ctx.keep('other', () => new Map())).to.eql(new Map())
    })

    it('is told by tokens that nobody can guess', async () => {
      const { ctx } = await start()
      const tokens = [ctx.sessionToken(), ctx.sessionToken()]
      for (const token of tokens) expect(token).to.match(/^~[\w-]{36}$/u)
      expect(tokens[0]).not.to.equal(tokens[1])
    })

    it('is that of the only process', async () => {
      const { node } = (await start()).ctx
      expect(node).to.include({ process: 0, processes: 1 })
      expect(node.id).not.to.equal('')
    })
  })

  describe('the end of a generation', () => {
    const journal = (ctx: Context, told: string[]): void => {
      ctx.onDrain(() => told.push('drain'))
      ctx.onDispose(() => void told.push('first'))
      ctx.onDispose(async () => {
        await Promise.resolve()
        told.push('second')
      })
      ctx.signal.addEventListener('abort', () => told.push('signal'))
    }

    it('comes in one order: drain, sessions, signal, callbacks from the latest on, tasks', async () => {
      const told: string[] = []
      const host = await start((ctx) => {
        journal(ctx, told)
        ctx.tasks.start({
          owner: 'live/a',
          run: async (signal) => {
            await once(signal, 'abort')
            told.push('task')
          },
        })
      })
      const publisher = await host.ctx.streams.publish(sessionInit('live/test'))
      publisher.onClose(({ code }) => told.push(`publisher ${code}`))
      await host.unload()
      expect(told).to.eql(['drain', 'publisher unloaded', 'signal', 'second', 'first', 'task'])
    })

    it('closes its listeners and connections, and serves no request any more', async () => {
      let port = 0
      const host = await start(async (ctx) => {
        const listener = await ctx.net.tcp(ctx.config.tcp, (socket) => socket.on('error', () => {}).write('x'))
        port = listener.addresses[0]?.port ?? 0
        ctx.http.get('/', () => 'up')
      })
      const socket = connect(port, '127.0.0.1').on('error', () => {})
      await once(socket, 'data')
      const closed = once(socket, 'close')
      await host.unload()
      await closed
      const [error] = await once(connect(port, '127.0.0.1'), 'error')
      expect(error).to.have.property('code', 'ECONNREFUSED')
      const status = await fetch(`${host.origin}/contract/`).then(
        (response) => response.status,
        () => 'refused',
      )
      expect(status).to.be.oneOf([404, 'refused'])
    })

    it('begins when a newer one takes over: it is told, and its sessions go on', async () => {
      const told: string[] = []
      let isFirst = true
      const host = await start((ctx) => {
        if (isFirst) journal(ctx, told)
        isFirst = false
      })
      const { ctx } = host
      const publisher = await ctx.streams.publish(sessionInit('live/test'))
      let closeReason: string | undefined
      publisher.onClose(({ text }) => (closeReason = text))
      await host.replace()
      await waitFor(() => told.length > 0, { what: 'the drain' })
      let late = false
      ctx.onDrain(() => (late = true))
      expect({ told, late, closeReason }).to.eql({ told: ['drain'], late: true, closeReason: undefined })
      expect(ctx.streams.get('live/test')).to.have.property('pluginName', 'contract')
      publisher.close()
      await host.unload()
      expect(told.filter((word) => word === 'drain')).to.have.length(1)
    })
  })
}
