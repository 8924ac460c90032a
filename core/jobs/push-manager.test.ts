import { expect } from 'chai'
import {
  InheritedConfig,
  type CloseReason,
  type PushRequest,
  type PushRule,
  type RuleSection,
  type StreamInfo,
  type Subscriber,
} from 'sluice/sdk'
import { directDialer, effectiveConfig } from 'sluice/sdk/testing'
import { waitFor } from '../../test/peers/wait-for.ts'
import { HookRunner } from '../host/hooks/hook-runner.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { TaskTree } from '../observe/task-tree.ts'
import { createJobs } from './jobs-service.ts'
import { PushManager } from './push-manager.ts'

const subscriber = { id: 1, onClose() {} } as Partial<Subscriber> as Subscriber
const URL_WITH_SECRETS = 'x://user:pa55@host/app?key=s3cret'

/** A push that is running, and how it is made to end. */
type Running = { readonly request: PushRequest; end(reason: CloseReason): void; fail(error: Error): void }

class FakeService {
  readonly schemes = ['x']
  readonly running: Running[] = []

  push(request: PushRequest): Promise<CloseReason> {
    const { promise, resolve, reject } = Promise.withResolvers<CloseReason>()
    const leave = () => this.running.splice(this.running.indexOf(running), 1)
    const running: Running = {
      request,
      end: (reason) => (leave(), resolve(reason)),
      fail: (error) => (leave(), reject(error)),
    }
    this.running.push(running)
    request.signal.addEventListener('abort', () => running.fail(new Error('aborted')))
    return promise
  }
}

function rule(url: string, more: Partial<PushRule> = {}): PushRule {
  return { url, maxretry: 0, retryinterval: 1, header: {}, proxy: '', ...more }
}

function plugin(push: Record<string, PushRule>, name = 'x'): RuleSection<'push'> {
  return { plugin: name, config: { ...effectiveConfig({ config: InheritedConfig }), onpub: { push } } }
}

describe('PushManager', () => {
  function rig() {
    const { log, lines } = logLines()
    const hooks = new HookRunner()
    const tasks = new TaskTree()
    const services = new Map<string, unknown>([['push:x', new FakeService()]])
    const live = new Set<string>()
    const info = (path: string) => ({ path }) as StreamInfo
    const streams = {
      get: (path: string) => (live.has(path) ? ({} as never) : undefined),
      list: () => [...live].map((path) => info(path) as never),
      subscriber: () => undefined,
    }
    const manager = new PushManager({ log, services, tasks, hooks, streams, dialer: () => directDialer })
    const publish = (path: string) => {
      live.add(path)
      hooks.notify('published', info(path))
    }
    const service = () => services.get('push:x') as FakeService
    const urls = () => service().running.map(({ request }) => request.url)
    const nodes = () => tasks.snapshot().children.flatMap(({ children }) => children)
    return { lines, services, live, manager, publish, service, urls, nodes }
  }

  it('sends what is published to the targets of all rules that match, with the groups filled in', async () => {
    const { manager, publish, urls } = rig()
    manager.apply([plugin({ '^live/(.+)$': rule('x://a/$1?p=$1'), '^live/': rule('x://b'), '^other': rule('x://c') })])
    publish('live/x y&z')
    await waitFor(() => urls().length === 2)
    expect(urls()).to.eql(['x://a/x%20y%26z?p=x%20y%26z', 'x://b'])
  })

  it('takes over rules while streams are live', async () => {
    const { manager, publish, urls, service } = rig()
    publish('live/a')
    manager.apply([plugin({ '^live/': rule('x://a') })])
    await waitFor(() => urls().length === 1)
    manager.apply([plugin({ '^live/': rule('x://b') })])
    await waitFor(() => urls().join(' ') === 'x://b')
    manager.apply([plugin({ '^live/': rule('x://b', { header: { key: ['other'] } }) })])
    await waitFor(() => urls().length === 1 && service().running[0]?.request.header['key']?.[0] === 'other')
    manager.apply([])
    await waitFor(() => urls().length === 0)
  })

  it('tries again as often as the rule says, while the stream is live', async () => {
    const { manager, publish, urls, service, live, nodes, lines } = rig()
    manager.apply([plugin({ '^live/': rule(URL_WITH_SECRETS, { maxretry: -1 }) })])
    publish('live/a')
    for (let tries = 0; tries < 3; tries++) {
      await waitFor(() => urls().length === 1)
      service().running[0]?.fail(new Error('refused'))
    }
    await waitFor(() => urls().length === 1)
    expect(nodes()[0]?.description).to.include({ state: 'connecting', lastError: 'refused', tries: '4' })
    service().running[0]?.request.begun(subscriber)
    expect(nodes()[0]?.description['state']).to.equal('running')
    live.clear()
    service().running[0]?.fail(new Error('refused'))
    await waitFor(() => nodes().length === 0)
    expect(JSON.stringify(lines)).to.not.match(/pa55|s3cret/u)
  })

  it('is over with the stream, and begins again with it', async () => {
    const { manager, publish, urls, service, nodes } = rig()
    manager.apply([plugin({ '^live/': rule('x://a', { maxretry: -1 }) })])
    publish('live/a')
    await waitFor(() => urls().length === 1)
    service().running[0]?.end({ code: 'timeout', text: 'subscribe timeout' })
    await waitFor(() => nodes().length === 0)
    publish('live/a')
    await waitFor(() => urls().length === 1)
  })

  it('begins again with a stream that comes back while the target is still being left', async () => {
    const { manager, publish, urls, service } = rig()
    manager.apply([plugin({ '^live/': rule('x://a') })])
    publish('live/a')
    await waitFor(() => urls().length === 1)
    const [first] = service().running
    const closed = { code: 'timeout', text: 'subscribe timeout' } as const
    first?.request.begun({
      id: 1,
      onClose: (listener: (reason: CloseReason) => void) => listener(closed),
    } as Subscriber)
    publish('live/a')
    expect(urls(), 'one at a time').to.have.length(1)
    first?.end(closed)
    await waitFor(() => urls().length === 1 && service().running[0] !== first)
  })

  it('tries again where the target is too slow', async () => {
    const { manager, publish, urls, service } = rig()
    manager.apply([plugin({ '^live/': rule('x://a', { maxretry: 1 }) })])
    publish('live/a')
    await waitFor(() => urls().length === 1)
    const [first] = service().running
    first?.end({ code: 'slow', text: 'slow' })
    await waitFor(() => urls().length === 1 && service().running[0] !== first)
  })

  it('goes on at once in the plugin that takes the place of the one that did it', async () => {
    const { manager, publish, urls, service, services } = rig()
    manager.apply([plugin({ '^live/': rule('x://a') })])
    publish('live/a')
    await waitFor(() => urls().length === 1)
    const [first] = service().running
    services.set('push:x', new FakeService())
    first?.end({ code: 'unloaded', text: 'the plugin was replaced' })
    await waitFor(() => urls().length === 1)
  })

  describe('for operators', () => {
    const wanted = { protocol: 'x', streamPath: 'live/a', url: URL_WITH_SECRETS }
    const errorOf = (promise: Promise<void>) => promise.catch((error: unknown) => error)

    it('tells that the target has taken the stream, or why not', async () => {
      const { manager, publish, service, urls } = rig()
      const jobs = createJobs(manager)
      publish('live/a')
      const first = jobs.push(wanted)
      await waitFor(() => urls().length === 1)
      expect(await errorOf(jobs.push(wanted))).to.include({ statusCode: 409, message: 'push remote url exist' })
      service().running[0]?.request.begun(subscriber)
      await first
      const second = errorOf(jobs.push({ ...wanted, url: 'x://b' }))
      await waitFor(() => urls().length === 2)
      service().running[1]?.fail(new Error('refused'))
      expect(await second).to.include({ statusCode: 502, message: 'refused' })
    })

    it('refuses what can not be', async () => {
      const { manager, publish } = rig()
      const jobs = createJobs(manager)
      expect(await errorOf(jobs.push(wanted))).to.include({ statusCode: 404 })
      publish('live/a')
      expect(await errorOf(jobs.push({ ...wanted, protocol: 'y' }))).to.include({ statusCode: 400 })
      expect(await errorOf(jobs.push({ ...wanted, url: 'no address' }))).to.include({ statusCode: 400 })
      manager.close('the server is stopping')
      expect(await errorOf(jobs.push(wanted))).to.include({ statusCode: 503 })
    })
  })
})
