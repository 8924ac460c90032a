import { expect } from 'chai'
import {
  SluiceError,
  type CloseReason,
  type PushRequest,
  type PushRule,
  type PushWish,
  type Subscriber,
} from 'sluice/sdk'
import { directDialer } from 'sluice/sdk/testing'
import { waitFor } from '../../test/peers/wait-for.ts'
import { HookRunner } from '../host/hooks/hook-runner.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { TaskTree } from '../observe/task-tree.ts'
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

function wish(url: string, more: Partial<PushRule> = {}): PushWish {
  const rule = { url, maxretry: 0, retryinterval: 1, header: {}, proxy: '', ...more }
  return { plugin: 'x', streamPath: 'live/a', rule }
}

describe('PushManager', () => {
  function rig() {
    const { log, lines } = logLines()
    const hooks = new HookRunner()
    const tasks = new TaskTree()
    const services = new Map<string, unknown>([['push:x', new FakeService()]])
    const live = new Set(['live/a'])
    const streams = {
      get: (path: string) => (live.has(path) ? ({} as never) : undefined),
      subscriber: () => undefined,
    }
    const manager = new PushManager({
      log,
      services,
      tasks,
      hooks,
      streams,
      plugins: () => ['x'],
      dialer: () => directDialer,
    })
    const service = () => services.get('push:x') as FakeService
    const urls = () => service().running.map(({ request }) => request.url)
    const nodes = () => tasks.snapshot().children.flatMap(({ children }) => children)
    return { lines, services, live, manager, service, urls, nodes }
  }

  it('tries again as often as the rule says, while the stream is live', async () => {
    const { manager, urls, service, live, nodes, lines } = rig()
    manager.start(wish(URL_WITH_SECRETS, { maxretry: -1 }))
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
    const { manager, urls, service, nodes } = rig()
    manager.start(wish('x://a', { maxretry: -1 }))
    await waitFor(() => urls().length === 1)
    service().running[0]?.end({ code: 'timeout', text: 'subscribe timeout' })
    await waitFor(() => nodes().length === 0)
    manager.start(wish('x://a'))
    await waitFor(() => urls().length === 1)
  })

  it('begins again with a stream that comes back while the target is still being left', async () => {
    const { manager, urls, service } = rig()
    manager.start(wish('x://a'))
    await waitFor(() => urls().length === 1)
    const [first] = service().running
    const closed = { code: 'timeout', text: 'subscribe timeout' } as const
    first?.request.begun({
      id: 1,
      onClose: (listener: (reason: CloseReason) => void) => listener(closed),
    } as Subscriber)
    manager.start(wish('x://a'))
    expect(urls(), 'one at a time').to.have.length(1)
    first?.end(closed)
    await waitFor(() => urls().length === 1 && service().running[0] !== first)
  })

  it('tries again where the target is too slow', async () => {
    const { manager, urls, service } = rig()
    manager.start(wish('x://a', { maxretry: 1 }))
    await waitFor(() => urls().length === 1)
    const [first] = service().running
    first?.end({ code: 'slow', text: 'slow' })
    await waitFor(() => urls().length === 1 && service().running[0] !== first)
  })

  it('goes on at once in the plugin that takes the place of the one that did it', async () => {
    const { manager, urls, service, services } = rig()
    manager.start(wish('x://a'))
    await waitFor(() => urls().length === 1)
    const [first] = service().running
    services.set('push:x', new FakeService())
    first?.end({ code: 'unloaded', text: 'the plugin was replaced' })
    await waitFor(() => urls().length === 1)
  })

  it('tells that the target has taken the stream, or why not, and lists what goes on', async () => {
    const { manager, service, urls } = rig()
    const first = manager.start({ ...wish(URL_WITH_SECRETS), origin: 'operator' })
    await waitFor(() => urls().length === 1)
    expect(() => manager.start(wish(URL_WITH_SECRETS))).to.throw(SluiceError, 'push remote url exist')
    service().running[0]?.request.begun(subscriber)
    await first.begun
    const second = manager.start(wish('x://b'))
    await waitFor(() => urls().length === 2)
    expect(manager.list()).to.eql([first, second])
    service().running[1]?.fail(new Error('refused'))
    expect(await second.begun.catch((error: unknown) => error)).to.include({ message: 'refused' })
    await waitFor(() => manager.count === 1)
  })

  it('ends with the server, and begins no more', async () => {
    const { manager, urls } = rig()
    manager.start(wish('x://a'))
    await waitFor(() => urls().length === 1)
    manager.close('the server is stopping')
    await waitFor(() => urls().length === 0)
    expect(() => manager.start(wish('x://a'))).to.throw(SluiceError, 'the server is stopping')
  })
})
