import { expect } from 'chai'
import { StoreUnavailable, StreamNotFound, type StreamInfo } from 'sluice/sdk'
import { FakePulls, type FakePull } from 'sluice/sdk/testing'
import { noProxies } from './kept/kept-proxies.ts'
import { changedPullProxy, newPullProxy, type PullProxyFields } from './kept/proxy-fields.ts'
import { ProxyExists, ProxyFixed } from './kept/proxy-errors.ts'
import { FIRST_UNKEPT_ID } from './kept/proxy-roster.ts'
import type { PullProxySettings } from './kept/proxy-settings.ts'
import { PullProxies, STOP_ON_IDLE_MS } from './pull-proxies.ts'
import { FakeTable, ProxyRig, settle, TYPES } from './testing/proxy-rig.ts'

function rig() {
  const base = new ProxyRig()
  const table = new FakeTable<PullProxySettings>()
  const pulls = new FakePulls()
  const kept = noProxies<PullProxySettings>()
  /** Creates another generation of the plugin. */
  const start = () => new PullProxies({ ...base.parts, kept, table, pulls })
  const proxies = start()
  proxies.begin()
  const add = (fields: PullProxyFields) =>
    proxies.roster.add((id) => newPullProxy(id, { url: `rtsp://cam${id}/a`, ...fields }, TYPES))
  const update = async (id: number, fields: PullProxyFields) => {
    await proxies.roster.update(id, (before) => changedPullProxy(before, fields, TYPES))
    await settle()
  }
  const status = (id: number) => proxies.stateOf(proxies.roster.get(id)!).status
  const ask = (streamPath: string) => pulls.demand(streamPath, {})
  /** Returns the pulls that have not ended. */
  const running = () => pulls.all.filter(({ ending }) => !ending)
  const publish = (pull: FakePull | undefined) => {
    if (pull === undefined) return
    pull.isPublishing = true
    void base.hooks.notify('published', { path: pull.wish.streamPath, type: 'pull' } as StreamInfo)
  }
  /** Fails a try of a pull, which then waits for the next one. */
  const fail = (pull: FakePull | undefined) => {
    if (pull === undefined) return
    pull.isPublishing = false
    pulls.fail(pull.wish.streamPath)
  }
  return { base, table, start, proxies, pulls, running, publish, fail, add, update, status, ask }
}

describe('PullProxies', () => {
  it('say whether the source is there, and how far it is, without a write to the database', async () => {
    const { base, table, add, status, proxies } = rig()
    await add({})
    await base.pass(25_000)
    expect([status(1), base.dialed.length]).to.eql([0, 3])
    base.alive.add('cam1')
    await base.pass(11_000)
    expect(status(1)).to.equal(1)
    expect(proxies.stateOf(proxies.roster.get(1)!).rttMs).to.be.a('number')
    const before = base.dialed.length
    await base.pass(30_000)
    expect(base.dialed).to.have.length(before)
    expect(table.writes).to.equal(1)
  })

  it('pull as soon as the source is there, and again whenever it comes back', async () => {
    const { base, add, status, running, publish, fail } = rig()
    await add({ beginsAlone: true })
    await base.pass()
    expect(running()).to.eql([])
    base.alive.add('cam1')
    await base.pass(11_000)
    expect(running().map(({ wish }) => wish.streamPath)).to.eql(['pull/rtsp/1'])
    const [pull] = running()
    publish(pull)
    expect(status(1)).to.equal(2)
    base.alive.clear()
    fail(pull)
    await settle()
    expect([status(1), pull?.retries]).to.eql([1, 0])
    await base.pass()
    expect(status(1)).to.equal(0)
    base.alive.add('cam1')
    await base.pass(11_000)
    // The pull tries again at once, and not when the job's own wait is over.
    expect([status(1), pull?.retries, running().length]).to.eql([1, 1, 1])
    publish(pull)
    expect(status(1)).to.equal(2)
  })

  it('say why the source is away, and why the latest pull failed where it is there', async () => {
    const { base, add, ask, running, publish, fail, proxies } = rig()
    const error = () => proxies.stateOf(proxies.roster.get(1)!).error
    await add({ streamPath: 'a' })
    await base.pass()
    expect(error()).to.equal('refused')
    base.alive.add('cam1')
    await base.pass(11_000)
    expect(error()).to.equal('')
    ask('a')
    const [pull] = running()
    pull!.progress = { ...pull!.progress, lastError: 'the password is wrong' }
    fail(pull)
    await base.pass(1000)
    expect(error()).to.equal('the password is wrong')
    publish(pull)
    pull?.stop('nobody watches')
    expect(error()).to.equal('')
  })

  it('pull for who asks, whatever the latest check said, once for all', async () => {
    const { base, add, status, running, publish, ask } = rig()
    await add({})
    await base.pass()
    expect(status(1)).to.equal(0)
    const asked = Array.from({ length: 1000 }, () => ask('pull/rtsp/1'))
    expect(new Set(asked)).to.eql(new Set([true]))
    expect(running()).to.have.length(1)
    const [pull] = running()
    publish(pull)
    expect(status(1)).to.equal(2)
    pull?.stop('the source is over')
    expect(status(1)).to.equal(1)
    expect(ask('pull/rtsp/2')).to.equal(false)
  })

  it('leave the sound out unless it is wanted, and stop on idle when they are to', async () => {
    const { add, running, ask, update, pulls, publish } = rig()
    await add({ streamPath: 'a' })
    await add({ streamPath: 'b', audio: true, stopsOnIdle: true })
    for (const path of ['a', 'b']) ask(path)
    const configs = running().map(({ wish }) => wish.publish)
    expect(configs).to.eql([
      { pubaudio: false, delayclosetimeout: 0, idletimeout: 0 },
      { delayclosetimeout: STOP_ON_IDLE_MS, idletimeout: STOP_ON_IDLE_MS },
    ])
    // `stopsOnIdle` is changed while the pulls run.
    running().forEach(publish)
    await update(1, { stopsOnIdle: true, name: 'Gate' })
    expect(pulls.get('a')?.wish.publish).to.include({ delayclosetimeout: STOP_ON_IDLE_MS, pubaudio: false })
    expect(pulls.all).to.have.length(2)
  })

  it('restart for another address, sound, path or recording, and for nothing else', async () => {
    const { add, running, ask, update, status } = rig()
    await add({ streamPath: 'a' })
    ask('a')
    const urls = () => running().map(({ wish }) => `${wish.streamPath} ${wish.rule.url}`)
    let [first] = running()
    const isRestarted = async (fields: PullProxyFields) => {
      await update(1, fields)
      expect(running()).to.have.length(1)
      const [second] = running()
      const isOther = first !== second
      first = second
      return isOther
    }
    expect(await isRestarted({ name: 'x', description: 'y', checkIntervalMs: 2000, beginsAlone: true })).to.equal(false)
    expect(await isRestarted({ url: 'rtsp://other/a' })).to.equal(true)
    expect(await isRestarted({ audio: true })).to.equal(true)
    expect(await isRestarted({ recordPath: 'record' })).to.equal(true)
    expect(await isRestarted({ streamPath: 'b' })).to.equal(true)
    expect(urls()).to.eql(['b rtsp://other/a'])
    await update(1, { isDisabled: true })
    expect([running().length, status(1)]).to.eql([0, 3])
    expect(ask('b')).to.equal(false)
  })

  it('are written once for a change, and not at all for none', async () => {
    const { add, update, table } = rig()
    await add({ name: 'a' })
    await update(1, { name: 'b', audio: true, checkIntervalMs: 2000 })
    expect(table.writes).to.equal(2)
    await update(1, { name: 'b', audio: true })
    expect(table.writes).to.equal(2)
  })

  it('are tried again without viewers as long as they begin alone', async () => {
    const { base, add, update, pulls } = rig()
    base.alive.add('cam1')
    await add({ beginsAlone: true, streamPath: 'a' })
    await base.pass()
    expect(pulls.get('a')?.wish.isLasting).to.equal(true)
    await update(1, { beginsAlone: false })
    expect(pulls.get('a')?.wish.isLasting).to.equal(false)
  })

  it('end with their proxy', async () => {
    const { add, running, ask, proxies, table, base } = rig()
    await add({ streamPath: 'a' })
    await add({ streamPath: 'b' })
    ask('a')
    await proxies.roster.remove(1)
    expect(running()).to.eql([])
    await proxies.roster.removePath('b')
    expect([...table.rows.keys(), ...proxies.roster.list()]).to.eql([])
    const before = base.dialed.length
    await base.pass(30_000)
    expect(base.dialed).to.have.length(before)
  })

  it('leave a stream alone that a rule has pulled for its viewers before', async () => {
    const { base, pulls, add, running, publish, ask, status, proxies } = rig()
    const rule = newPullProxy(1, { url: 'rtsp://rule/a' }, TYPES).rule
    pulls.addSource({ match: (streamPath) => ({ plugin: 'rtsp', streamPath, rule, publish: {}, args: {} }) })
    ask('a')
    publish(running()[0])
    base.alive.add('cam1')
    await add({ streamPath: 'a' })
    await base.pass()
    expect(status(1)).to.equal(1)
    await proxies.roster.remove(1)
    expect(running().map(({ wish }) => wish.rule.url)).to.eql(['rtsp://rule/a'])
  })

  it('are disabled where another has the path, until that is gone', async () => {
    const { add, update, status, proxies } = rig()
    await add({ streamPath: 'a', url: 'rtsp://one/a' })
    await add({ streamPath: 'a', url: 'rtsp://two/a' })
    expect([status(1), status(2)]).to.eql([0, 3])
    expect(await rejection(update(2, { isDisabled: false }))).to.be.instanceOf(ProxyExists)
    await add({ streamPath: 'b' })
    expect(await rejection(update(3, { streamPath: 'a' }))).to.be.instanceOf(ProxyExists)
    await update(1, { isDisabled: true })
    await update(2, { isDisabled: false })
    expect(proxies.match('a')?.rule.url).to.equal('rtsp://two/a')
    await proxies.roster.removePath('a')
    expect(proxies.roster.list().map(({ id }) => id)).to.eql([3])
  })

  it('are not found when they are not there', async () => {
    const { update, proxies } = rig()
    expect(await rejection(update(1, {}))).to.be.instanceOf(StreamNotFound)
    expect(await rejection(proxies.roster.remove(1))).to.be.instanceOf(StreamNotFound)
    expect(await rejection(proxies.roster.removePath('a'))).to.be.instanceOf(StreamNotFound)
  })

  it('are looked after while there is no database, if they stand in the config', async () => {
    const { base, table, proxies, add, status } = rig()
    table.failure = new StoreUnavailable('away')
    const entry = (id: number, streamPath: string) => newPullProxy(id, { url: 'rtsp://cam1/a', streamPath }, TYPES)
    proxies.roster.begin(() => [entry(5, 'a'), entry(FIRST_UNKEPT_ID, 'b')])
    base.alive.add('cam1')
    await base.pass()
    expect([status(5), status(FIRST_UNKEPT_ID)]).to.eql([1, 1])
    expect(await rejection(add({}))).to.be.instanceOf(StoreUnavailable)
    table.failure = undefined
    table.rows.set(5, { ...entry(5, 'old'), createdMs: 5 })
    table.rows.set(2, entry(2, 'a'))
    await proxies.roster.load()
    expect(proxies.roster.list().map(({ id, streamPath }) => `${id} ${streamPath}`)).to.eql([
      '2 a',
      '5 a',
      `${FIRST_UNKEPT_ID} b`,
    ])
    expect(table.rows.get(5)).to.include({ streamPath: 'a', createdMs: 5 })
    expect([table.rows.size, status(2), status(5)]).to.eql([2, 3, 1])
    expect(await rejection(proxies.roster.remove(FIRST_UNKEPT_ID))).to.be.instanceOf(ProxyFixed)
  })

  it('can be changed also where an entry of the config has the highest id that there is', async () => {
    const { proxies, add, update } = rig()
    const entry = (id: number) => newPullProxy(id, { url: 'rtsp://cam/a' }, TYPES)
    proxies.roster.begin(() => [entry(1), entry(FIRST_UNKEPT_ID - 1), entry(FIRST_UNKEPT_ID)])
    const { id } = await add({ name: 'Gate' })
    expect(id).to.equal(2)
    await update(id, { name: 'Yard' })
    expect(proxies.roster.get(id)?.name).to.equal('Yard')
  })

  describe('of another generation', () => {
    it('keep the pull, what is known of the sources, and the checks', async () => {
      const { base, start, proxies, pulls, add, running, publish, fail, table } = rig()
      base.alive.add('cam1')
      await add({ beginsAlone: true })
      await add({ streamPath: 'b' })
      await base.pass()
      publish(running()[0])
      const dialed = [...base.dialed]
      table.failure = new StoreUnavailable('away')
      const next = start()
      expect(next.match('b')?.rule.url).to.equal('rtsp://cam2/a')
      next.begin()
      proxies.close('replaced')
      const states = () => next.roster.list().map((proxy) => next.stateOf(proxy).status)
      expect([states(), pulls.all.length, running()[0]?.retries]).to.eql([[2, 0], 1, 0])
      await base.pass(11_000)
      expect(base.dialed.slice(dialed.length)).to.eql(['cam2', 'cam2'])
      // The source goes away and comes back: the next generation finds out.
      base.alive.clear()
      fail(running()[0])
      await base.pass()
      expect(states()).to.eql([0, 0])
      base.alive.add('cam1')
      await base.pass(11_000)
      expect([states(), running()[0]?.retries]).to.eql([[1, 0], 1])
    })

    it('follow what the one before still changes', async () => {
      const { base, start, proxies, add, ask, running, update } = rig()
      await add({ streamPath: 'a' })
      ask('a')
      const next = start()
      next.begin()
      proxies.close('replaced')
      await update(1, { isDisabled: true })
      expect(running()).to.eql([])
      await update(1, { isDisabled: false })
      base.alive.add('cam1')
      await base.pass()
      expect(next.stateOf(next.roster.get(1)!).status).to.equal(1)
    })

    it('begin anew where there was none in between', async () => {
      const { base, start, proxies, add, running, pulls } = rig()
      base.alive.add('cam1')
      await add({ beginsAlone: true })
      await base.pass()
      proxies.close('removed')
      running()[0]?.stop('its rule is gone')
      start().begin()
      await base.pass()
      expect([running().length, pulls.all.length]).to.eql([1, 2])
    })
  })

  it('have no secret of theirs in the log', async () => {
    const { base, add, running, fail } = rig()
    base.alive.add('cam')
    await add({ url: 'rtsp://admin:pa55word@cam/a?token=s3cret', beginsAlone: true })
    await base.pass()
    expect(running()).to.have.length(1)
    base.alive.clear()
    fail(running()[0])
    await base.pass()
    const shown = JSON.stringify(base.logged.records)
    expect(shown).to.include('is away')
    expect(shown).to.include('cam/a')
    expect(shown).not.to.match(/pa55word|s3cret/u)
  })
})

/** Resolves with the error with which a promise rejects. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}
