import { expect } from 'chai'
import { createFakeHost, sessionInit, type FakeHostOptions } from 'sluice/sdk/testing'
import { keep } from '../../test/peers/lifetime.ts'
import { waitFor } from '../../test/peers/wait-for.ts'
import { createFile } from '../../test/support/stores.ts'
import { AliasRig, settle, shown } from './fixtures/alias-rig.ts'
import alias from './index.ts'

describe('Aliases', () => {
  let rig: AliasRig
  beforeEach(async () => {
    rig = await AliasRig.start()
  })
  afterEach(() => rig.server.stop())

  describe('an alias that is set', () => {
    it('attaches those who wait under its name to a target that is live', async () => {
      const a = await rig.source('live/a')
      const waiting = rig.watch('show/main')
      await waitFor(() => rig.streams.subscribers('show/main').length === 1)
      await rig.set('show/main', 'live/a')
      a.write('K1 P2')
      const viewer = await waiting
      expect(shown(viewer)).to.eql(['K1', 'P2'])
      expect(viewer.subscriber).to.include({ streamPath: 'show/main', sourcePath: 'live/a' })
      expect(await rig.statuses()).to.eql(['show/main live/a 1'])
    })

    it('moves the viewers of a real stream of its name, which stays', async () => {
      const real = await rig.source('show/main')
      const a = await rig.source('live/a', 500_000)
      real.write('K1 P2')
      const viewer = await rig.watch('show/main')
      const pushed = await rig.watch('show/main', { type: 'push' })
      const follower = await rig.watch('show/main', { type: 'transform', follows: true })
      await rig.set('show/main', 'live/a')
      a.write('P3 K4')
      real.write('P5')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'P2', 'K4'])
      expect(shown(follower)).to.eql(['K1', 'P2', 'K4'])
      expect(shown(pushed), "the server's own").to.eql(['K1', 'P2', 'P5'])
      expect(rig.streams.get('show/main')).to.not.equal(undefined)
      expect(await rig.statuses()).to.eql(['show/main live/a 2'])
    })

    it('has a target pulled that is not live, with its query, while a real stream of its name serves', async () => {
      const real = await rig.source('show/main')
      real.write('K1')
      const viewer = await rig.watch('show/main')
      await rig.set('show/main', 'cam/1?start=5')
      await waitFor(() => rig.demanded.length === 1)
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
      await rig.set('show/main', 'live/a')
      const viewer = await rig.watch('show/main')
      await rig.set('show/main', 'live/later')
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
      await rig.set('show/main', 'live/a')
      await rig.watch('live/a')
      await rig.watch('show/main')
      expect(rig.format.muxers).to.equal(1)
      await rig.set('show/main', 'live/b')
      expect(rig.streams.subscribers('live/a').map(({ streamPath }) => streamPath)).to.include('live/a')
    })

    it('is refused for what is no path, and for itself', async () => {
      for (const [alias, target] of [
        ['', 'live/a'],
        ['/live/a', 'live/a'],
        ['live/a', '../a'],
        ['live/a', 'live/a?x=1'],
        ['live/a', '?x=1'],
      ] as const) {
        expect(await rig.ask(alias, target), alias).to.equal(400)
      }
      expect(await rig.list()).to.eql([])
    })
  })

  describe('its target', () => {
    it('is waited for by who asks for the alias, and pulled with both queries, of which the viewer wins', async () => {
      await rig.set('show/main', 'cam/1?a=1&b=2')
      const waiting = rig.watch('show/main', { query: 'b=3&c=4' })
      await waitFor(() => rig.demanded.length > 0)
      expect(rig.demanded).to.eql(['cam/1 a=1&b=3&c=4'])
      expect(rig.streams.subscribers().map(({ streamPath }) => streamPath)).to.eql(['show/main'])
      const target = await rig.source('cam/1')
      target.write('K1')
      expect(shown(await waiting)).to.eql(['K1'])
    })

    it('goes: viewers get the real stream of the name if there is one, until it comes back', async () => {
      const real = await rig.source('show/main', 9000)
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.set('show/main', 'live/a')
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
      await rig.set('show/main', 'live/a')
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
      await rig.set('show/main', 'live/a', true)
      const viewer = await rig.watch('show/main', { query: 'x=1' })
      a.publisher.close('over')
      expect(await rig.list()).to.eql([])
      await waitFor(() => rig.demanded.length === 1)
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
      await rig.set('show/main', 'live/a')
      const viewer = await rig.watch('show/main')
      await rig.remove('show/main')
      a.write('P2')
      real.write('K3')
      a.write('P4')
      await settle()
      expect(shown(viewer)).to.eql(['K1', 'P2', 'K3'])
      expect(await rig.ask('show/main', '')).to.equal(404)
    })

    it('has them wait for one that is pulled, with its query or that of the first', async () => {
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.set('show/main', 'live/a?q=1')
      await rig.set('show/other', 'live/a')
      const viewers = [await rig.watch('show/main', { query: 'x=1' }), await rig.watch('show/other', { query: 'x=2' })]
      await rig.remove('show/main')
      await rig.remove('show/other')
      await waitFor(() => rig.demanded.length === 2)
      expect(rig.demanded).to.eql(['show/main q=1', 'show/other x=2'])
      a.write('K2')
      const real = await rig.source('show/main')
      real.write('K3')
      await settle()
      expect(viewers.map(shown)).to.eql([['K1', 'K3'], ['K1']])
      expect(viewers.map(({ end }) => end())).to.eql([undefined, undefined])
    })

    it('lets those go who wait for its target', async () => {
      await rig.set('show/main', 'cam/1')
      const waiting = rig.watch('show/main')
      await waitFor(() => rig.streams.subscribers('cam/1').length === 1)
      await rig.remove('show/main')
      const real = await rig.source('show/main')
      real.write('K1')
      expect(shown(await waiting)).to.eql(['K1'])
    })
  })

  describe('rules', () => {
    it('make a lasting alias of the first that matches when somebody asks', async () => {
      await rig.setRules({ '^tv/(.+)$': 'live/$1?from=$0', '^tv/': 'live/none' })
      const a = await rig.source('live/a')
      a.write('K1')
      expect(shown(await rig.watch('tv/a'))).to.eql(['K1'])
      await rig.setRules({})
      expect(await rig.statuses()).to.eql(['tv/a live/a 1'])
      expect(shown(await rig.watch('tv/a'))).to.eql(['K1'])
    })

    it('are passed over by paths with an alias, and by those of which they make none', async () => {
      await rig.setRules({ '^live/': 'live/a', '^up/(.*)': '$1' })
      const a = await rig.source('live/a')
      a.write('K1')
      await rig.watch('live/a')
      void rig.watch('up/../x').catch(() => {})
      expect(await rig.list()).to.eql([])
    })
  })

  it('are stored: set, set again, made by rules, removed', async () => {
    const dsn = await createFile()
    const first = await AliasRig.start({ db: { dsn }, streamalias: { '^tv/': 'live/a' } })
    await first.set('show/main', 'live/a')
    await first.set('show/main', 'cam/b?k=1', true)
    await first.set('show/gone', 'live/a')
    await first.remove('show/gone')
    const a = await first.source('live/a')
    a.write('K1')
    await first.watch('tv/1')
    await first.server.stop()
    const later = await AliasRig.start({ db: { dsn } })
    expect(await later.list()).to.have.deep.members([
      { alias: 'show/main', streamPath: 'cam/b', autoRemove: true, status: 0 },
      { alias: 'tv/1', streamPath: 'live/a', autoRemove: false, status: 0 },
    ])
    void later.watch('show/main').catch(() => {})
    await waitFor(() => later.demanded.length > 0)
    expect(later.demanded).to.eql(['cam/b k=1'])
  })
})

describe('aliases without a database', () => {
  async function start(options: FakeHostOptions = {}) {
    const host = await createFakeHost(alias, options)
    keep({ close: () => host.dispose() })
    const { store, http } = host
    if (store === undefined) throw new Error('it has no tables')
    const ask = async (name: string, streamPath: string) => {
      const body = JSON.stringify({ alias: name, streamPath })
      const headers = { 'content-type': 'application/json' }
      return (await fetch(`${http.origin}/api/stream/alias`, { method: 'POST', headers, body })).status
    }
    const list = async () =>
      ((await (await fetch(`${http.origin}/api/stream/alias/list`)).json()) as { data: unknown }).data
    return { host, store, ask, list }
  }
  const SET = { alias: 'show/main', streamPath: 'live/a', autoRemove: false, status: 0 }

  it('are neither set nor removed where that can not be stored', async () => {
    const { store, ask, list } = await start()
    expect(await ask('show/main', 'live/a')).to.equal(200)
    store.isAway = true
    expect(await ask('show/other', 'live/a')).to.equal(503)
    expect(await ask('show/main', '')).to.equal(503)
    expect(await list()).to.eql([SET])
  })

  it('are known to the next generation, and read when it is there to one that was away', async () => {
    const { host, store, ask } = await start()
    expect(await ask('show/main', 'live/a')).to.equal(200)
    store.isAway = true
    const next = await start({ store, kept: host.kept })
    expect(await next.list()).to.eql([SET])
    next.host.drain('removed')
    const later = await start({ store, kept: host.kept })
    expect(await later.list()).to.eql([])
    store.isAway = false
    await waitFor(async () => ((await later.list()) as readonly unknown[]).length > 0)
    expect(await later.list()).to.eql([SET])
  })

  it('are made of those, too, who came while the server started', async () => {
    const { host, list } = await start()
    await host.streams.publish(sessionInit('live/a'))
    void host.streams.subscribe(sessionInit('tv/a')).catch(() => {})
    await waitFor(() => host.streams.subscribers('tv/a').length === 1)
    host.configureGlobal({ streamalias: { '^tv/(.+)$': 'live/$1' } })
    await host.hooks.notify('started')
    expect(host.streams.subscribers('live/a')).to.have.length(1)
    expect(await list()).to.eql([{ ...SET, alias: 'tv/a', status: 1 }])
  })
})
