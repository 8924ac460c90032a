import { expect } from 'chai'
import type { StreamInfo } from 'sluice/sdk'
import { FakePushes } from 'sluice/sdk/testing'
import { noProxies } from './kept/kept-proxies.ts'
import { changedPushProxy, newPushProxy, type ProxyFields } from './kept/proxy-fields.ts'
import type { PushProxySettings } from './kept/proxy-settings.ts'
import { PushProxies } from './push-proxies.ts'
import { FakeTable, ProxyRig, settle, TYPES } from './testing/proxy-rig.ts'

function rig() {
  const base = new ProxyRig()
  const table = new FakeTable<PushProxySettings>()
  const live = new Set<string>()
  const streams = { get: (path: string) => (live.has(path) ? ({} as never) : undefined) }
  const pushes = new FakePushes()
  const kept = noProxies<PushProxySettings>()
  /** Creates another generation of the plugin. */
  const start = () => new PushProxies({ ...base.parts, kept, streams, table, pushes })
  const proxies = start()
  proxies.begin()
  const add = (fields: ProxyFields = {}) =>
    proxies.roster.add((id) => newPushProxy(id, { url: `rtmp://to${id}/a`, streamPath: 'a', ...fields }, TYPES))
  const update = async (id: number, fields: ProxyFields) => {
    await proxies.roster.update(id, (before) => changedPushProxy(before, fields, TYPES))
    await settle()
  }
  /** Returns the pushes that have not ended; their media goes out at once. */
  const running = () => {
    const all = pushes.all.filter(({ stopReason }) => stopReason === undefined)
    for (const push of all) push.state = 'running'
    return all
  }
  const publish = async (path: string) => {
    live.add(path)
    await base.hooks.notify('published', { path } as StreamInfo)
  }
  const status = (id: number) => (running(), proxies.stateOf(proxies.roster.get(id)!).status)
  const targets = () => running().map(({ wish }) => wish.rule.url)
  return { base, start, proxies, pushes, running, live, add, update, publish, status, targets }
}

describe('PushProxies', () => {
  it('say why the latest push failed, until the target takes the stream', async () => {
    const { base, add, publish, pushes, live, proxies } = rig()
    const error = () => proxies.stateOf(proxies.roster.get(1)!).error
    base.alive.add('to1')
    await add()
    await publish('a')
    await base.pass()
    const [push] = pushes.all
    push!.state = 'retrying'
    push!.progress = { ...push!.progress, lastError: 'the key is wrong' }
    pushes.fail(push!.wish)
    await base.pass(1000)
    expect(error()).to.equal('the key is wrong')
    push!.state = 'running'
    await base.hooks.notify('taskBegan', { kind: 'push', streamPath: 'a', plugin: 'rtmp', description: '' })
    live.clear()
    expect(error()).to.equal('')
  })

  it('push a stream that is live as soon as the target is there, and again when it comes back', async () => {
    const { base, add, publish, status, targets, pushes, proxies } = rig()
    await add()
    await publish('a')
    await base.pass()
    expect([status(1), targets()]).to.eql([0, []])
    base.alive.add('to1')
    await base.pass(11_000)
    expect([status(1), targets()]).to.eql([2, ['rtmp://to1/a']])
    base.alive.clear()
    const [push] = pushes.all
    push!.state = 'retrying'
    pushes.fail(push!.wish)
    await base.pass(1000)
    expect(proxies.stateOf(proxies.roster.get(1)!).status).to.equal(0)
    base.alive.add('to1')
    await base.pass(11_000)
    expect([status(1), targets(), push?.retries]).to.eql([2, ['rtmp://to1/a'], 1])
  })

  it('push a stream when it starts, and are online when it is over', async () => {
    const { base, add, publish, live, status, targets, running } = rig()
    base.alive.add('to1').add('to2')
    await add()
    await add({ streamPath: 'b' })
    await base.pass()
    expect([status(1), status(2), targets()]).to.eql([1, 1, []])
    await publish('a')
    expect([status(1), status(2), targets()]).to.eql([2, 1, ['rtmp://to1/a']])
    live.clear()
    expect(status(1)).to.equal(1)
    running()[0]?.stop('over')
    expect([status(1), targets()]).to.eql([1, []])
  })

  it('begin without the stream when they are to, so that somebody fetches it', async () => {
    const { base, add, targets } = rig()
    base.alive.add('to1')
    await add({ beginsAlone: true })
    await base.pass()
    expect(targets()).to.eql(['rtmp://to1/a'])
  })

  it('leave the sound out unless it is wanted, and restart for another address', async () => {
    const { base, add, update, publish, running, targets } = rig()
    base.alive.add('to1').add('other')
    await add()
    await publish('a')
    await base.pass()
    expect(running()[0]?.wish.isSilent).to.equal(true)
    const [first] = running()
    await update(1, { name: 'x' })
    expect(running()).to.eql([first])
    await update(1, { audio: true, url: 'rtmp://other/a' })
    await base.pass()
    expect(targets()).to.eql(['rtmp://other/a'])
    expect(running()[0]?.wish.isSilent).to.equal(false)
    await update(1, { isDisabled: true })
    expect(targets()).to.eql([])
  })

  it('are as many for a stream as it has targets, and end with their proxy', async () => {
    const { base, add, publish, status, targets, proxies } = rig()
    base.alive.add('to1').add('to2')
    await add()
    await add()
    await add({ url: 'rtmp://to1/a' })
    await publish('a')
    await base.pass()
    expect([status(1), status(2), status(3)]).to.eql([2, 2, 3])
    await proxies.roster.remove(1)
    await settle()
    expect(targets()).to.eql(['rtmp://to2/a'])
    await proxies.roster.removePath('a')
    await settle()
    expect(targets()).to.eql([])
  })

  it('go on in another generation, which ends what it no longer wants', async () => {
    const { base, start, proxies, add, publish, targets, pushes } = rig()
    base.alive.add('to1').add('to2')
    await add()
    await add()
    await publish('a')
    await base.pass()
    const before = [...pushes.all]
    const dialed = base.dialed.length
    const next = start()
    next.begin()
    proxies.close('replaced')
    await base.pass(11_000)
    expect([pushes.all, targets(), base.dialed.length]).to.eql([before, ['rtmp://to1/a', 'rtmp://to2/a'], dialed])
    await next.roster.remove(1)
    expect(targets()).to.eql(['rtmp://to2/a'])
    next.close('removed')
    expect(targets()).to.eql([])
    start().begin()
    await base.pass()
    expect(targets()).to.eql(['rtmp://to2/a'])
  })
})
