import { expect } from 'chai'
import {
  StoreUnavailable,
  StreamNotFound,
  type Publisher,
  type PullEnd,
  type PullRequest,
  type SessionRequest,
  type StreamInfo,
  type Track,
} from 'sluice/sdk'
import { waitFor } from '../../test/peers/wait-for.ts'
import { PullManager } from '../jobs/pull-manager.ts'
import { changedPullProxy, newPullProxy, type PullProxyFields } from './proxy-fields.ts'
import { ProxyExists, ProxyFixed } from './proxy-errors.ts'
import { FIRST_UNKEPT_ID } from './proxy-roster.ts'
import type { PullProxySettings } from './proxy-settings.ts'
import { PullProxies, STOP_ON_IDLE_MS } from './pull-proxies.ts'
import { FakeTable, ProxyRig, settle } from './testing/proxy-rig.ts'

/** A pull that is running, and how it is made to end. */
type Running = { readonly request: PullRequest; publish(): void; end(end: PullEnd): void; fail(): void }

function rig() {
  const base = new ProxyRig()
  const running: Running[] = []
  const table = new FakeTable<PullProxySettings>()
  const watched = new Set<string>()
  const published = new Map<string, { publisher: { config: object } }>()
  const service = {
    pull(request: PullRequest): Promise<PullEnd> {
      const { promise, resolve, reject } = Promise.withResolvers<PullEnd>()
      const { streamPath } = request.session
      const leave = () => {
        published.delete(streamPath)
        if (running.includes(one)) running.splice(running.indexOf(one), 1)
      }
      const one: Running = {
        request,
        publish() {
          const { config = {}, observer } = request.options
          published.set(streamPath, { publisher: { config } })
          base.hooks.registryFor({ plugin: 'x', log: base.logged.log }).notify('published', {
            path: streamPath,
            type: 'pull',
          } as StreamInfo)
          observer?.published({ writtenBytes: 0, onClose() {} } as unknown as Publisher)
          observer?.track({} as Track)
        },
        end: (end) => (leave(), resolve(end)),
        fail: () => (leave(), reject(new Error('it broke'))),
      }
      running.push(one)
      request.signal.addEventListener('abort', () => one.fail())
      return promise
    },
  }
  const streams = {
    get: (path: string) => published.get(path) as never,
    subscribers: (path?: string) => (watched.has(path ?? '') ? [{} as never] : []),
  }
  const { hooks, tasks, health, dialer, logged } = base
  const options = { log: logged.log, hooks, tasks, streams, dialer: () => dialer }
  const services = new Map<string, unknown>([['pull:rtsp', service]])
  const pulls = new PullManager({
    ...options,
    services,
    folders: () => [],
  })
  const proxies = new PullProxies({ ...options, table, pulls, health })
  const add = (fields: PullProxyFields) =>
    proxies.roster.add((id) => newPullProxy(id, { url: `rtsp://cam${id}/a`, ...fields }, () => undefined))
  const update = async (id: number, fields: PullProxyFields) => {
    await proxies.roster.update(id, (before) => changedPullProxy(before, fields, () => undefined))
    await settle()
  }
  const status = (id: number) => proxies.stateOf(proxies.roster.get(id)!).status
  const ask = (streamPath: string) => hooks.resolve({ streamPath, params: {} } as SessionRequest)
  return {
    base,
    table,
    proxies,
    pulls,
    running,
    published,
    watched,
    add,
    update,
    status,
    ask,
  }
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
    const { base, add, status, running } = rig()
    await add({ beginsAlone: true })
    await base.pass()
    expect(running).to.eql([])
    base.alive.add('cam1')
    await base.pass(11_000)
    expect(running.map(({ request }) => request.session.streamPath)).to.eql(['pull/rtsp/1'])
    running[0]?.publish()
    expect(status(1)).to.equal(2)
    base.alive.clear()
    running[0]?.fail()
    await settle()
    expect([status(1), running.length]).to.eql([1, 0])
    await base.pass()
    expect(status(1)).to.equal(0)
    base.alive.add('cam1')
    await base.pass(11_000)
    // At once, and not when the job's own wait is over.
    expect([status(1), running.length]).to.eql([1, 1])
    running[0]?.publish()
    expect(status(1)).to.equal(2)
  })

  it('pull for who asks, whatever the latest check said, once for all', async () => {
    const { base, add, status, running, ask, watched } = rig()
    await add({})
    await base.pass()
    expect(status(1)).to.equal(0)
    watched.add('pull/rtsp/1')
    const asked = await Promise.all(Array.from({ length: 1000 }, () => ask('pull/rtsp/1')))
    expect(new Set(asked)).to.eql(new Set([true]))
    await settle()
    expect(running).to.have.length(1)
    running[0]?.publish()
    expect(status(1)).to.equal(2)
    running[0]?.end({ by: 'source' })
    await settle()
    expect(status(1)).to.equal(1)
    expect(await ask('pull/rtsp/2')).to.equal(false)
  })

  it('leave the sound out unless it is wanted, and stop on idle when they are to', async () => {
    const { add, running, ask, update, published } = rig()
    await add({ streamPath: 'a' })
    await add({ streamPath: 'b', audio: true, stopsOnIdle: true })
    await Promise.all([ask('a'), ask('b')])
    await settle()
    const configs = running.map(({ request }) => request.options.config)
    expect(configs).to.eql([
      { pubaudio: false, delayclosetimeout: 0, idletimeout: 0 },
      { delayclosetimeout: STOP_ON_IDLE_MS, idletimeout: STOP_ON_IDLE_MS },
    ])
    // That they stop is changed while they run.
    running.forEach((one) => one.publish())
    await update(1, { stopsOnIdle: true, name: 'Gate' })
    expect(published.get('a')?.publisher.config).to.include({ delayclosetimeout: STOP_ON_IDLE_MS, pubaudio: false })
    expect(running).to.have.length(2)
  })

  it('restart for another address, sound, path or recording, and for nothing else', async () => {
    const { add, running, ask, update, status } = rig()
    await add({ streamPath: 'a' })
    await ask('a')
    await settle()
    const urls = () => running.map(({ request }) => `${request.session.streamPath} ${request.url}`)
    let [first] = running
    const isRestarted = async (fields: PullProxyFields) => {
      await update(1, fields)
      await waitFor(() => running.length === 1)
      const [second] = running
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
    expect([running.length, status(1)]).to.eql([0, 3])
    expect(await ask('b')).to.equal(false)
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
    const { base, add, running, update, pulls } = rig()
    base.alive.add('cam1')
    await add({ beginsAlone: true, streamPath: 'a' })
    await base.pass()
    running[0]?.fail()
    await settle()
    expect(pulls.get('a')?.job.state).to.equal('retrying')
    await update(1, { beginsAlone: false })
    pulls.get('a')?.job.retryNow()
    await waitFor(() => pulls.get('a') === undefined)
  })

  it('end with their proxy', async () => {
    const { add, running, ask, proxies, table, base } = rig()
    await add({ streamPath: 'a' })
    await add({ streamPath: 'b' })
    await ask('a')
    await settle()
    await proxies.roster.remove(1)
    await settle()
    expect(running).to.eql([])
    await proxies.roster.removePath('b')
    expect([...table.rows.keys(), ...proxies.roster.list()]).to.eql([])
    const before = base.dialed.length
    await base.pass(30_000)
    expect(base.dialed).to.have.length(before)
  })

  it('leave a stream alone that a rule has pulled for its viewers before', async () => {
    const { base, pulls, add, running, ask, status, proxies } = rig()
    const rule = newPullProxy(1, { url: 'rtsp://rule/a' }, () => undefined).rule
    pulls.addSource({ match: (streamPath) => ({ plugin: 'rtsp', streamPath, rule, publish: {}, args: {} }) })
    await ask('a')
    await settle()
    running[0]?.publish()
    base.alive.add('cam1')
    await add({ streamPath: 'a' })
    await base.pass()
    expect(status(1)).to.equal(1)
    await proxies.roster.remove(1)
    await settle()
    expect(running.map(({ request }) => request.url)).to.eql(['rtsp://rule/a'])
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
    const entry = (id: number, streamPath: string) =>
      newPullProxy(id, { url: 'rtsp://cam1/a', streamPath }, () => undefined)
    proxies.roster.begin([entry(5, 'a'), entry(FIRST_UNKEPT_ID, 'b')])
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
    const entry = (id: number) => newPullProxy(id, { url: 'rtsp://cam/a' }, () => undefined)
    proxies.roster.begin([entry(1), entry(FIRST_UNKEPT_ID - 1), entry(FIRST_UNKEPT_ID)])
    const { id } = await add({ name: 'Gate' })
    expect(id).to.equal(2)
    await update(id, { name: 'Yard' })
    expect(proxies.roster.get(id)?.name).to.equal('Yard')
  })

  it('have no secret of theirs in the log or in tasks', async () => {
    const { base, add, running } = rig()
    base.alive.add('cam')
    await add({ url: 'rtsp://admin:pa55word@cam/a?token=s3cret', beginsAlone: true })
    await base.pass()
    await waitFor(() => running.length === 1)
    running[0]?.fail()
    await settle()
    const shown = base.logged.text() + JSON.stringify(base.tasks.snapshot())
    expect(shown).to.include('cam/a')
    expect(shown).not.to.match(/pa55word|s3cret/u)
  })
})

/** What a promise rejects with. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}
