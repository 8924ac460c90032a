import { expect } from 'chai'
import { pino } from 'pino'
import { Type, type SessionInit, type Subscriber } from 'sluice/sdk'
import { effectiveConfig } from 'sluice/sdk/testing'
import { waitFor } from '../../test/peers/wait-for.ts'
import { GateChain } from '../auth/gate.ts'
import { HookRunner } from '../host/hooks/hook-runner.ts'
import { Store } from '../store/store.ts'
import { FakeSink } from '../stream/fixtures/fake-format.ts'
import { settle } from '../stream/fixtures/muxer-rig.ts'
import { initOf, Source } from '../stream/fixtures/registry-rig.ts'
import { labelsOf, TimedFormat, timesOf } from '../stream/fixtures/timed-format.ts'
import { OwnedStreams } from '../stream/owned-streams.ts'
import { StreamRegistry } from '../stream/registry.ts'
import { Aliases } from './aliases.ts'

const log = pino({ level: 'silent' })
const format = new TimedFormat()

type Viewer = { readonly subscriber: Subscriber; readonly sink: FakeSink; readonly end: () => string | undefined }

/** A server's streams with aliases, as far as these go. */
class Rig {
  readonly store = new Store({ log, dsn: ':memory:', dbtype: '', datadir: '' })
  /** What was pulled on demand: path and query. */
  readonly demanded: string[] = []
  readonly registry: StreamRegistry
  readonly aliases: Aliases
  readonly #streams: OwnedStreams
  rules: Record<string, string> = {}

  constructor() {
    const hooks = new HookRunner()
    const gates = new GateChain([])
    const gatekeeper = {
      admit: gates.admit.bind(gates),
      authenticate: async () => undefined,
      setHandler: () => undefined,
      removeHandler: () => undefined,
    }
    this.registry = new StreamRegistry({ log, hooks, gatekeeper })
    const demand = (streamPath: string, args: Readonly<Record<string, string>>) => {
      this.demanded.push(`${streamPath} ${new URLSearchParams(args).toString()}`.trim())
      return false
    }
    hooks.registryFor({ plugin: 'global', log }).on('lead', (request) => this.aliases.lead(request))
    hooks.registryFor({ plugin: 'global', log }).on('resolve', ({ streamPath, params }) => demand(streamPath, params))
    const { store, registry: streams } = this
    this.aliases = new Aliases({ log, store, hooks, streams, pulls: { demand }, rules: () => this.rules })
    const config = effectiveConfig({ config: Type.Object({}) }, { subscribe: { waittimeout: '20s', writemerge: '0s' } })
    this.#streams = new OwnedStreams(this.registry, gatekeeper, {
      plugin: 'fake',
      generation: 1,
      log,
      config,
      closingNotice: false,
    })
  }

  async source(streamPath: string, timeMs = 0): Promise<Source> {
    const source = new Source(await this.#streams.manager.publish(initOf(streamPath)), timeMs)
    source.publisher.tracksComplete()
    return source
  }

  async watch(streamPath: string, init: Partial<SessionInit> = {}): Promise<Viewer> {
    const subscriber = await this.#streams.manager.subscribe(initOf(streamPath, init))
    const sink = new FakeSink()
    subscriber.attach(format, sink)
    let end: string | undefined
    subscriber.onClose(({ text }) => (end = text))
    await settle()
    return { subscriber, sink, end: () => end }
  }

  statuses(): string[] {
    return this.aliases.list().map(({ alias, streamPath, status }) => `${alias} ${streamPath} ${status}`)
  }

  async close(): Promise<void> {
    this.registry.close('the test is over')
    await this.store.close()
  }
}

/** The pictures of a viewer, and that their times never run back. */
function shown({ sink }: Viewer): string[] {
  const times = timesOf(sink)
  expect(times, 'times').to.eql(times.toSorted((one, other) => one - other))
  return labelsOf(sink).filter((label) => /^[KP]/u.test(label))
}

describe('Aliases', () => {
  let rig: Rig
  beforeEach(() => (rig = new Rig()))
  afterEach(() => rig.close())

  describe('an alias that is set', () => {
    it('attaches those who wait under its name to a target that is live', async () => {
      const a = await rig.source('live/a')
      const waiting = rig.watch('show/main')
      await waitFor(() => rig.registry.subscribers('show/main').length === 1)
      await rig.aliases.set('show/main', 'live/a', false)
      a.write('K1 P2')
      const viewer = await waiting
      expect(shown(viewer)).to.eql(['K1', 'P2'])
      expect(viewer.subscriber).to.include({ streamPath: 'show/main', sourcePath: 'live/a' })
      expect(rig.statuses()).to.eql(['show/main live/a 1'])
    })

    it('moves the viewers of a real stream of its name, which stays', async () => {
      const real = await rig.source('show/main')
      const a = await rig.source('live/a', 500_000)
      real.write('K1 P2')
      const viewer = await rig.watch('show/main')
      const pushed = await rig.watch('show/main', { type: 'push' })
      const follower = await rig.watch('show/main', { type: 'transform', follows: true })
      await rig.aliases.set('show/main', 'live/a', false)
      a.write('P3 K4')
      real.write('P5')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'P2', 'K4'])
      expect(shown(follower)).to.eql(['K1', 'P2', 'K4'])
      expect(shown(pushed), "the server's own").to.eql(['K1', 'P2', 'P5'])
      expect(rig.registry.get('show/main')).to.not.equal(undefined)
      expect(rig.statuses()).to.eql(['show/main live/a 2'])
    })

    it('has a target pulled that is not live, with its query, while a real stream of its name serves', async () => {
      const real = await rig.source('show/main')
      real.write('K1')
      const viewer = await rig.watch('show/main')
      await rig.aliases.set('show/main', 'cam/1?start=5', false)
      expect(rig.demanded).to.eql(['cam/1 start=5'])
      real.write('P2')
      await settle()
      const target = await rig.source('cam/1', 70_000)
      target.write('K3')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'P2', 'K3'])
    })

    it('takes its viewers along when it is set again, to a target that is live at once, else when that comes', async () => {
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a', false)
      const viewer = await rig.watch('show/main')
      await rig.aliases.set('show/main', 'live/later', false)
      a.write('P2')
      await settle()
      const later = await rig.source('live/later', 1000)
      later.write('K3')
      a.write('P4')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'P2', 'K3'])
      expect(viewer.subscriber.sourcePath).to.equal('live/later')
    })

    it('leaves viewers of the target itself alone, and shares their muxer', async () => {
      const a = await rig.source('live/a')
      await rig.source('live/b')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a', false)
      await rig.watch('live/a')
      await rig.watch('show/main')
      expect(rig.registry.get('live/a')?.fanOut.muxers.length).to.equal(1)
      await rig.aliases.set('show/main', 'live/b', false)
      expect(rig.registry.subscribers('live/a').map(({ streamPath }) => streamPath)).to.include('live/a')
    })

    it('is refused for what is no path, and for itself', async () => {
      const errorOf = (promise: Promise<void>) => promise.then(() => undefined).catch((error: unknown) => error)
      for (const [alias, target] of [
        ['', 'live/a'],
        ['/live/a', 'live/a'],
        ['live/a', '../a'],
        ['live/a', 'live/a?x=1'],
        ['live/a', ''],
      ] as const) {
        expect(await errorOf(rig.aliases.set(alias, target, false)), alias).to.include({ statusCode: 400 })
      }
      expect(rig.aliases.list()).to.eql([])
    })
  })

  describe('its target', () => {
    it('is waited for by who asks for the alias, and pulled with both queries, of which the viewer wins', async () => {
      await rig.aliases.set('show/main', 'cam/1?a=1&b=2', false)
      const waiting = rig.watch('show/main', { query: 'b=3&c=4' })
      await waitFor(() => rig.demanded.length > 0)
      expect(rig.demanded).to.eql(['cam/1 a=1&b=3&c=4'])
      expect(rig.registry.subscribers().map(({ streamPath }) => streamPath)).to.eql(['show/main'])
      const target = await rig.source('cam/1')
      target.write('K1')
      expect(shown(await waiting)).to.eql(['K1'])
    })

    it('goes: viewers get the real stream of the name if there is one, until it comes back', async () => {
      const real = await rig.source('show/main', 9000)
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a', false)
      const viewer = await rig.watch('show/main')
      a.publisher.close('over')
      real.write('K2')
      await settle()
      const again = await rig.source('live/a', 5)
      again.write('K3')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'K2', 'K3'])
      expect(viewer.end()).to.equal(undefined)
    })

    it('goes: without one they wait, for the target and for a real stream of the name', async () => {
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a', false)
      const viewer = await rig.watch('show/main')
      a.publisher.close('over')
      const real = await rig.source('show/main', 100)
      real.write('K2')
      await settle()
      real.publisher.close('over')
      const again = await rig.source('live/a')
      again.write('K3')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'K2', 'K3'])
    })

    it('goes, and an alias that removes itself goes with it', async () => {
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a', true)
      const viewer = await rig.watch('show/main', { query: 'x=1' })
      a.publisher.close('over')
      expect(rig.aliases.list()).to.eql([])
      expect(rig.demanded).to.eql(['show/main x=1'])
      const again = await rig.source('live/a')
      again.write('K2')
      const real = await rig.source('show/main')
      real.write('K3')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'K3'])
    })
  })

  describe('an alias that is removed', () => {
    it('gives its viewers back to the real stream of the name', async () => {
      const real = await rig.source('show/main')
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a', false)
      const viewer = await rig.watch('show/main')
      expect(await rig.aliases.remove('show/main')).to.equal(true)
      a.write('P2')
      real.write('K3')
      a.write('P4')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'P2', 'K3'])
      expect(await rig.aliases.remove('show/main')).to.equal(false)
    })

    it('has them wait for one that is pulled, with its query or that of the first', async () => {
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.aliases.set('show/main', 'live/a?q=1', false)
      await rig.aliases.set('show/other', 'live/a', false)
      const viewers = [await rig.watch('show/main', { query: 'x=1' }), await rig.watch('show/other', { query: 'x=2' })]
      await rig.aliases.remove('show/main')
      await rig.aliases.remove('show/other')
      expect(rig.demanded).to.eql(['show/main q=1', 'show/other x=2'])
      a.write('K2')
      const real = await rig.source('show/main')
      real.write('K3')
      await settle()
      expect(viewers.map(shown)).to.eql([['K1', 'K3'], ['K1']])
      expect(viewers.map(({ end }) => end())).to.eql([undefined, undefined])
    })

    it('lets those go who wait for its target', async () => {
      await rig.aliases.set('show/main', 'cam/1', false)
      const waiting = rig.watch('show/main')
      await waitFor(() => rig.registry.subscribers('cam/1').length === 1)
      await rig.aliases.remove('show/main')
      const real = await rig.source('show/main')
      real.write('K1')
      expect(shown(await waiting)).to.eql(['K1'])
    })
  })

  describe('rules', () => {
    it('make a lasting alias of the first that matches when somebody asks', async () => {
      rig.rules = { '^tv/(.+)$': 'live/$1?from=$0', '^tv/': 'live/none' }
      const a = await rig.source('live/a')
      a.write('K1')
      expect(shown(await rig.watch('tv/a'))).to.eql(['K1'])
      rig.rules = {}
      expect(rig.statuses()).to.eql(['tv/a live/a 1'])
      expect(shown(await rig.watch('tv/a'))).to.eql(['K1'])
    })

    it('are passed over by paths with an alias, and by those of which they make none', async () => {
      rig.rules = { '^live/': 'live/a', '^up/(.*)': '$1' }
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.watch('live/a')
      void rig.watch('up/../x').catch(() => {})
      expect(rig.aliases.list()).to.eql([])
    })
  })

  it('are stored: set, set again, made by rules, removed', async () => {
    const { store, registry } = rig
    rig.rules = { '^tv/': 'live/a' }
    await rig.aliases.set('show/main', 'live/a', false)
    await rig.aliases.set('show/main', 'live/b?k=1', true)
    await rig.aliases.set('show/gone', 'live/a', false)
    await rig.aliases.remove('show/gone')
    const a = await rig.source('live/a')
    a.write('K1')
    await rig.watch('tv/1')
    const hooks = new HookRunner()
    const pulls = { demand: () => false }
    const later = new Aliases({ log, store, hooks, streams: registry, pulls, rules: () => ({}) })
    await waitFor(() => later.list().length === 2)
    expect(later.list()).to.deep.include.members([
      { alias: 'show/main', streamPath: 'live/b', query: 'k=1', autoRemove: true, status: 0 },
      { alias: 'tv/1', streamPath: 'live/a', query: '', autoRemove: false, status: 1 },
    ])
  })

  it('are neither set nor removed where that can not be stored', async () => {
    await rig.aliases.set('show/main', 'live/a', false)
    await rig.store.close()
    const errorOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error)
    expect(await errorOf(rig.aliases.set('show/other', 'live/a', false))).to.include({ statusCode: 503 })
    expect(await errorOf(rig.aliases.remove('show/main'))).to.include({ statusCode: 503 })
    expect(rig.statuses()).to.eql(['show/main live/a 0'])
  })
})
