import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { PluginContext, PluginDefinition, StreamInfo } from 'sluice/sdk'
import type { PluginValues } from './generation-parts.ts'
import { PluginError } from '../plugin-error.ts'
import { Generation } from './generation.ts'
import { KeptObjects } from './kept-objects.ts'
import { FakeParts, LISTEN } from '../testing/fake-parts.ts'
import { until } from '../testing/until.ts'

const STREAM = { path: 'live/test' } as StreamInfo
const PORT = 'demo :1935'
const LIMITS = { setupTimeoutMs: 60, disposeTimeoutMs: 40, drainPollMs: 5, firstRetryMs: 5 }
const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

type Context = PluginContext<PluginValues>

describe('Generation', () => {
  let fake: FakeParts

  beforeEach(() => {
    fake = new FakeParts()
  })

  const create = (setup: (ctx: Context) => void | Promise<void>, number = 1, more: Partial<PluginDefinition> = {}) => {
    const definition: PluginDefinition = { name: 'demo', version: '1', provides: ['service'], setup, ...more }
    const section = fake.parts.config.resolve(definition)
    const kept = new KeptObjects()
    return new Generation({ definition, number, section, parts: fake.parts, kept, limits: LIMITS })
  }
  const run = async (setup: (ctx: Context) => void | Promise<void>, number = 1) => {
    const generation = create(setup, number)
    await generation.start()
    await generation.bind()
    generation.activate()
    return generation
  }
  const provide = (ctx: Context, service: unknown) => ctx.services.provide('service' as never, service as never)
  const streams = (number = 1) => {
    const found = fake.streams.get(`demo ${number}`)
    if (found === undefined) throw new Error('no such generation')
    return found
  }

  /** A setup that makes one of everything, and keeps what it was told. */
  const everything = (told: string[]) => async (ctx: Context) => {
    ctx.hooks.on('published', () => void told.push('published'))
    ctx.streams.set_stream_auth_handler(() => true)
    provide(ctx, told)
    ctx.tasks.start({ owner: 'demo', run: untilAborted })
    await ctx.net.tcp(LISTEN, () => told.push('connection'))
    ctx.signal.addEventListener('abort', () => told.push('abort'))
    ctx.onDrain(() => told.push('drain'))
    ctx.onDispose(() => void told.push('dispose first'))
    ctx.onDispose(async () => {
      await setImmediate()
      told.push('dispose second')
    })
  }
  const expectNothingLeft = () => {
    expect(fake.hooks.isTapped('published')).to.equal(false)
    expect(fake.services.get('service')).to.equal(undefined)
    expect(fake.tasks.snapshot().children).to.deep.equal([])
    expect([...fake.ports.keys()]).to.deep.equal([])
    expect(fake.http.get('demo')?.every(({ disposed }) => disposed)).to.equal(true)
    expect(streams().disposed).to.equal(true)
  }

  it('makes nothing that others notice until it is activated', async () => {
    const told: string[] = []
    const generation = create(everything(told))
    await generation.start()
    fake.hooks.notify('published', STREAM)
    fake.connect(PORT)
    expect(fake.services.get('service')).to.equal(undefined)
    expect(fake.http.get('demo')?.[0]?.active).to.equal(false)
    expect(streams().authHandler).to.equal(null)
    expect(told).to.deep.equal([])

    await generation.bind()
    generation.activate()
    fake.hooks.notify('published', STREAM)
    fake.connect(PORT)
    expect(fake.services.get('service')).to.equal(told)
    expect(fake.http.get('demo')?.[0]?.active).to.equal(true)
    expect(streams().authHandler).to.be.a('function')
    expect(told).to.deep.equal(['published', 'connection'])
    expect(generation.listeners).to.deep.equal([{ host: '::', port: 1935, tls: false }])
  })

  it('undoes all it made: sessions end, then the signal, then the callbacks, latest first', async () => {
    const told: string[] = []
    const generation = await run(everything(told))
    const socket = fake.connect(PORT)
    await Promise.all([generation.dispose('removed'), generation.dispose('again')])
    expect(streams().closed).to.deep.equal(['removed'])
    expect(told).to.deep.equal(['connection', 'drain', 'abort', 'dispose second', 'dispose first'])
    expect(socket.destroyed).to.equal(true)
    expectNothingLeft()
  })

  const broken: readonly [how: string, end: () => void | Promise<void>, reason: string][] = [
    [
      'throws',
      () => {
        throw new Error('no luck')
      },
      'setup failed: no luck',
    ],
    ['rejects', () => Promise.reject(new Error('no luck')), 'setup failed: no luck'],
    ['never settles', () => new Promise(() => {}), 'setup did not finish within 60 ms'],
  ]
  for (const [how, end, reason] of broken) {
    it(`undoes all when setup ${how}`, async () => {
      const told: string[] = []
      const generation = create(async (ctx) => {
        await everything(told)(ctx)
        await end()
      })
      expect(await failure(generation.start())).to.equal(reason)
      expect(told).to.deep.equal(['drain', 'abort', 'dispose second', 'dispose first'])
      expectNothingLeft()
    })
  }

  it('gives a setup the time in which others hold up the event loop', async () => {
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    const generation = create(async () => {
      await setImmediate()
      Atomics.wait(sleeper, 0, 0, 2 * LIMITS.setupTimeoutMs)
      await setImmediate()
    })
    await generation.start()
    await generation.bind()
    generation.activate()
    expect(generation.taking).to.equal(true)
  })

  it('gives nothing to a setup that goes on after its time', async () => {
    const resume = Promise.withResolvers<void>()
    const late = Promise.withResolvers<{ errors: number; undone: boolean }>()
    const generation = create(async (ctx) => {
      await resume.promise
      const attempts = [
        () => ctx.hooks.on('published', () => {}),
        () => provide(ctx, 1),
        () => ctx.tasks.start({ owner: '', run: untilAborted }),
        () => ctx.streams,
      ]
      let errors = 0
      for (const attempt of attempts) {
        try {
          attempt()
        } catch {
          errors += 1
        }
      }
      await ctx.net.tcp(LISTEN, () => {}).catch(() => (errors += 1))
      let undone = false
      ctx.onDispose(() => void (undone = true))
      late.resolve({ errors, undone })
    })
    await failure(generation.start())
    resume.resolve()
    expect(await late.promise).to.deep.equal({ errors: 5, undone: true })
    expectNothingLeft()
  })

  it('undoes all when its routes do not get ready', async () => {
    const generation = create((ctx) => {
      ctx.http.register(async () => {
        throw new Error('bad route')
      })
    })
    await generation.start()
    expect(await failure(generation.bind())).to.equal('bad route')
    expectNothingLeft()
  })

  it('undoes all when its ports can not be bound', async () => {
    const told: string[] = []
    const generation = create(everything(told))
    await generation.start()
    fake.bindError = new Error('address already in use')
    expect(await failure(generation.bind())).to.equal('address already in use')
    expectNothingLeft()
  })

  it('leaves the services of its predecessor in place when it can not take over', async () => {
    const provides = ['service', 'other']
    const old = await run((ctx) => provide(ctx, 'old'))
    const next = create(
      (ctx) => {
        provide(ctx, 'new')
        ctx.services.provide('other' as never, 'new' as never)
      },
      2,
      { provides },
    )
    await next.start()
    fake.services.provide({ plugin: 'rival' }, 'other', 'of the rival')
    await next.bind()
    expect(() => next.activate()).to.throw(PluginError, "plugin 'rival' does already")
    await next.dispose('start failed')
    expect(fake.services.get('service')).to.equal('old')
    await old.dispose('removed')
    expect(fake.services.get('service')).to.equal(undefined)
  })

  it('refuses a service that its definition does not name, or that another plugin offers', async () => {
    const unnamed = create((ctx) => ctx.services.provide('other' as never, 1 as never))
    expect(await failure(unnamed.start())).to.include("can't provide 'other'")
    fake.services.provide({ plugin: 'rival' }, 'service', 1)
    const second = create((ctx) => provide(ctx, 2))
    expect(await failure(second.start())).to.include("plugin 'rival' does already")
    expect(fake.services.get('service')).to.equal(1)
  })

  it('hands over to its successor without a gap, and goes on until its sessions have ended', async () => {
    const told: string[] = []
    const make = (name: string) => async (ctx: Context) => {
      ctx.hooks.on('published', () => void told.push(`hook ${name}`))
      provide(ctx, name)
      await ctx.net.tcp(LISTEN, () => told.push(`connection ${name}`))
    }
    const old = await run(make('old'))
    const connection = fake.connect(PORT)
    streams(1).sessionCount = 1
    const next = await run(make('new'), 2)
    const drained = old.drain('replaced', 0, 'replaced')

    fake.hooks.notify('published', STREAM)
    fake.connect(PORT)
    expect(told).to.deep.equal(['connection old', 'hook new', 'connection new'])
    expect(fake.services.get('service')).to.equal('new')
    expect(fake.ports.get(PORT)?.leases).to.equal(1)
    expect(connection.destroyed).to.equal(false)
    expect(old.signal.aborted).to.equal(false)

    streams(1).sessionCount = 0
    connection.destroy()
    await drained
    expect(old.signal.aborted).to.equal(true)
    expect(streams(1).closed).to.deep.equal(['replaced'])
    expect(next.signal.aborted).to.equal(false)
  })

  it('tells once that it drains, while its sessions go on and no request comes any more', async () => {
    const told: unknown[] = []
    const generation = await run((ctx) => {
      ctx.onDrain(() => {
        throw new Error('broken listener')
      })
      ctx.onDrain(() => told.push({ sessions: streams().sessionCount, retired: fake.http.get('demo')?.[0]?.retired }))
    })
    streams().sessionCount = 1
    const draining = generation.drain('replaced', 0, 'replaced')
    expect(told).to.deep.equal([{ sessions: 1, retired: true }])
    generation.onDrain(() => told.push('late'))
    expect(told.at(-1)).to.equal('late')
    streams().sessionCount = 0
    await draining
    expect(told).to.have.length(2)
    expect(fake.logged.text()).to.include('broken listener')
  })

  for (const [what, hold, release] of [
    ['a session', () => (streams().sessionCount = 1), () => (streams().sessionCount = 0)],
    ['an HTTP request', () => http().openRequests++, () => http().openRequests--],
  ] as const) {
    it(`drains until ${what} has ended`, async () => {
      const generation = await run(() => {})
      hold()
      let drained = false
      const draining = generation.drain('replaced', 0, 'replaced').then(() => (drained = true))
      await until('it was looked at', () => streams().asked > 1)
      expect(drained).to.equal(false)
      release()
      await draining
    })
  }
  const http = () => fake.http.get('demo')?.[0] ?? { openRequests: 0 }

  it('drains until its connections have ended', async () => {
    const generation = await run(async (ctx) => {
      await ctx.net.tcp(LISTEN, () => {})
    })
    const socket = fake.connect(PORT)
    const draining = generation.drain('replaced', 0, 'replaced')
    await until('it was looked at', () => streams().asked > 1)
    expect(generation.signal.aborted).to.equal(false)
    expect([...fake.ports.keys()]).to.deep.equal([])
    socket.destroy()
    await draining
  })

  it('gives back a port that it gets when its time is over', async () => {
    const generation = create(async (ctx) => {
      fake.onAcquire = () => generation.dispose('removed')
      await ctx.net.tcp(LISTEN, () => {})
    })
    expect(await failure(generation.start())).to.include('is being unloaded')
    expectNothingLeft()
  })

  it('ends its sessions when the time to drain is over', async () => {
    const generation = await run(() => {})
    streams().sessionCount = 1
    await generation.drain('replaced', 20, 'replaced')
    expect(streams().closed).to.deep.equal(['replaced'])
  })

  it('ends a connection whose handler throws or rejects, and logs it with the plugin', async () => {
    let asynchronous = false
    await run(async (ctx) => {
      await ctx.net.tcp(LISTEN, () => {
        if (!asynchronous) throw new Error('thrown')
        return Promise.reject(new Error('rejected')) as never
      })
    })
    expect(fake.connect(PORT).destroyed).to.equal(true)
    asynchronous = true
    const socket = fake.connect(PORT)
    await until('the second is closed', () => socket.destroyed)
    expect(fake.logged.text()).to.include('thrown').and.include('rejected')
    expect(fake.logged.lines.every(({ plugin }) => plugin === 'demo')).to.equal(true)
  })

  it('tells of a live change, with the context and the streams up to date, whatever a listener throws', async () => {
    const told: unknown[] = []
    let seen: unknown
    const generation = await run((ctx) => {
      ctx.onConfig(() => {
        throw new Error('broken listener')
      })
      ctx.onConfig((config) => {
        told.push(config['size'])
        seen = ctx.config['size']
      })
    })
    fake.sections.set('demo', { values: { size: 5 } })
    generation.configure(fake.parts.config.resolve(generation.definition))
    expect(told).to.deep.equal([5])
    expect(seen).to.equal(5)
    expect(streams().config).to.have.property('size', 5)
    expect(fake.logged.text()).to.include('broken listener')
  })

  describe('timers', () => {
    it('fire until they are cancelled, also while the generation drains', async () => {
      const fired = { interval: 0, cancelled: 0, timeout: 0 }
      let stop = () => {}
      const generation = await run((ctx) => {
        stop = ctx.setInterval(() => void (fired.interval += 1), 1)
        ctx.setTimeout(() => void (fired.timeout += 1), 1)
        ctx.setTimeout(() => void (fired.cancelled += 1), 1)()
      })
      await until('all have fired', () => fired.interval > 1 && fired.timeout === 1)
      streams().sessionCount = 1
      const drained = generation.drain('replaced', 0, 'replaced')
      const before = fired.interval
      await until('the interval goes on', () => fired.interval > before)
      stop()
      const last = fired.interval
      streams().sessionCount = 0
      await drained
      expect(fired).to.eql({ interval: last, cancelled: 0, timeout: 1 })
    })

    it('end with the generation, before its signal, and are not set any more', async () => {
      let ended = false
      let late = 0
      const note = () => void (late += ended ? 1 : 0)
      let setLate = () => {}
      const generation = await run((ctx) => {
        ctx.setInterval(note, 1)
        ctx.setTimeout(note, 5)
        setLate = () => void [ctx.setTimeout(note, 1), ctx.setInterval(note, 1)]
        ctx.signal.addEventListener('abort', () => (ended = true))
      })
      await generation.dispose('removed')
      expect(ended).to.equal(true)
      setLate()
      // Timers of Node fire in the order of their times: those of the generation would have come before.
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(late).to.equal(0)
    })

    it('log what their callbacks throw or reject with, and go on', async () => {
      let fired = 0
      const generation = await run((ctx) => {
        ctx.setInterval(() => {
          fired += 1
          throw new Error('thrown')
        }, 1)
        ctx.setTimeout(() => Promise.reject(new Error('rejected')), 1)
      })
      const logged = (text: string) => fake.logged.text().includes(text)
      await until('all is logged', () => fired > 1 && logged('thrown') && logged('rejected'))
      await generation.dispose('removed')
      expect(fake.logged.lines.every(({ plugin }) => plugin === 'demo')).to.equal(true)
    })
  })

  it('is not held up by callbacks and tasks that never end', async () => {
    const told: string[] = []
    const generation = await run((ctx) => {
      ctx.onDispose(() => void told.push('reached'))
      ctx.onDispose(() => {
        throw new Error('broken')
      })
      ctx.onDispose(() => new Promise(() => {}))
      ctx.tasks.start({ owner: '', run: () => new Promise(() => {}) })
    })
    await generation.dispose('removed')
    expect(told).to.deep.equal(['reached'])
    expect(fake.logged.text()).to.include('broken').and.include('not finished within 40 ms')
  })
})

async function failure(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('did not fail')
}
