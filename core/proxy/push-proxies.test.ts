import { expect } from 'chai'
import type { CloseReason, PushRequest, StreamInfo, Subscriber } from 'sluice/sdk'
import { PushManager } from '../jobs/push-manager.ts'
import { changedPushProxy, newPushProxy, type ProxyFields } from './proxy-fields.ts'
import type { PushProxySettings } from './proxy-settings.ts'
import { PushProxies } from './push-proxies.ts'
import { FakeTable, ProxyRig, settle } from './testing/proxy-rig.ts'

/** A push that is running, and how it is made to end. */
type Running = { readonly request: PushRequest; end(): void; fail(): void }

function rig() {
  const base = new ProxyRig()
  const running: Running[] = []
  const table = new FakeTable<PushProxySettings>()
  const live = new Set<string>()
  const service = {
    schemes: ['rtmp'],
    push(request: PushRequest): Promise<CloseReason> {
      const { promise, resolve, reject } = Promise.withResolvers<CloseReason>()
      const leave = () => running.splice(running.indexOf(one), 1)
      const one: Running = {
        request,
        end: () => (leave(), resolve({ code: 'closed', text: 'over' })),
        fail: () => (leave(), reject(new Error('it broke'))),
      }
      running.push(one)
      request.begun({ id: 1, onClose() {} } as Partial<Subscriber> as Subscriber)
      request.signal.addEventListener('abort', () => one.fail())
      return promise
    },
  }
  const streams = {
    get: (path: string) => (live.has(path) ? ({} as never) : undefined),
    list: () => [...live].map((path) => ({ path }) as never),
    subscriber: () => undefined,
  }
  const { hooks, tasks, health, dialer, logged } = base
  const options = { log: logged.log, hooks, tasks, streams, dialer: () => dialer }
  const pushes = new PushManager({ ...options, services: new Map<string, unknown>([['push:rtmp', service]]) })
  const proxies = new PushProxies({ ...options, table, pushes, health })
  const add = (fields: ProxyFields = {}) =>
    proxies.roster.add((id) =>
      newPushProxy(id, { url: `rtmp://to${id}/a`, streamPath: 'a', ...fields }, () => undefined),
    )
  const update = async (id: number, fields: ProxyFields) => {
    await proxies.roster.update(id, (before) => changedPushProxy(before, fields, () => undefined))
    await settle()
  }
  const publish = async (path: string) => {
    live.add(path)
    hooks.registryFor({ plugin: 'x', log: logged.log }).notify('published', { path } as StreamInfo)
    await settle()
  }
  const status = (id: number) => proxies.stateOf(proxies.roster.get(id)!).status
  const targets = () => running.map(({ request }) => request.url)
  return { base, proxies, running, live, add, update, publish, status, targets }
}

describe('PushProxies', () => {
  it('push a stream that is live as soon as the target is there, and again when it comes back', async () => {
    const { base, add, publish, status, targets, running } = rig()
    await add()
    await publish('a')
    await base.pass()
    expect([status(1), targets()]).to.eql([0, []])
    base.alive.add('to1')
    await base.pass(11_000)
    expect([status(1), targets()]).to.eql([2, ['rtmp://to1/a']])
    base.alive.clear()
    running[0]?.fail()
    await base.pass(1000)
    expect(status(1)).to.equal(0)
    base.alive.add('to1')
    await base.pass(11_000)
    expect([status(1), targets()]).to.eql([2, ['rtmp://to1/a']])
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
    running[0]?.end()
    await settle()
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
    expect(running[0]?.request.session.query).to.equal('subaudio=false')
    const [first] = running
    await update(1, { name: 'x' })
    expect(running).to.eql([first])
    await update(1, { audio: true, url: 'rtmp://other/a' })
    await base.pass()
    expect(targets()).to.eql(['rtmp://other/a'])
    expect(running[0]?.request.session.query).to.equal('')
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
})
