import { expect } from 'chai'
import {
  type CloseReason,
  type Publisher,
  type PullEnd,
  type PullRequest,
  type PullRule,
  type PullService,
  type PullSource,
  type PullWish,
  type SessionRequest,
  type Track,
} from 'sluice/sdk'
import { directDialer } from 'sluice/sdk/testing'
import { waitFor } from '../../test/peers/wait-for.ts'
import { HookRunner } from '../host/hooks/hook-runner.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { TaskTree } from '../observe/task-tree.ts'
import { PullManager } from './pull-manager.ts'

const URL_WITH_SECRETS = 'x://user:pa55@host/a?key=s3cret'

/** A pull that is running, and how it is made to end. */
type Running = { readonly request: PullRequest; end(end: PullEnd): void; fail(error: Error): void }

class FakeService implements PullService {
  readonly headerless: boolean
  readonly running: Running[] = []

  constructor(headerless = false) {
    this.headerless = headerless
  }

  pull(request: PullRequest): Promise<PullEnd> {
    const { promise, resolve, reject } = Promise.withResolvers<PullEnd>()
    const leave = () => this.running.splice(this.running.indexOf(running), 1)
    const running: Running = {
      request,
      end: (end) => (leave(), resolve(end)),
      fail: (error) => (leave(), reject(error)),
    }
    this.running.push(running)
    request.signal.addEventListener('abort', () => running.fail(new Error('aborted')))
    return promise
  }
}

function rule(url: string, more: Partial<PullRule> = {}): PullRule {
  return { url, loop: 0, maxretry: 0, retryinterval: 1, header: {}, proxy: '', args: {}, testmode: 0, ...more }
}

function wish(streamPath: string, url: string, more: Partial<PullRule> = {}): PullWish {
  return { plugin: 'x', streamPath, rule: rule(url, more), publish: {}, args: {} }
}

/** A pull that goes on without subscribers. */
function lasting(streamPath: string, url: string, more: Partial<PullRule> = {}): PullWish {
  return { ...wish(streamPath, url, more), isLasting: true }
}

/** A source for all paths below `live/`. */
function source(url: string, more: Partial<PullRule> = {}): PullSource {
  return { match: (path) => (path.startsWith('live/') ? wish(path, url, more) : undefined) }
}

describe('PullManager', () => {
  function rig() {
    const logged = logLines()
    const hooks = new HookRunner()
    const tasks = new TaskTree()
    const services = new Map<string, unknown>([['pull:x', new FakeService()]])
    const watched = new Set<string>()
    const streams = {
      get: () => undefined,
      subscribers: (path: string | undefined) => (watched.has(path ?? '') ? [{ request: {} } as never] : []),
    }
    const proxies: string[] = []
    const dialer = (proxy: string) => {
      proxies.push(proxy)
      return directDialer
    }
    const manager = new PullManager({
      log: logged.log,
      services,
      tasks,
      hooks,
      streams,
      folders: () => [],
      plugins: () => ['x', 'y', 'silent'],
      dialer,
    })
    const ends = new Map<string, (reason: CloseReason) => void>()
    const publish = (path: string) => {
      const { observer } = service().running.findLast(({ request }) => request.session.streamPath === path)!.request
        .options
      const onClose = (listener: (reason: CloseReason) => void) => void ends.set(path, listener)
      observer?.published({ writtenBytes: 0, onClose } as Publisher)
      observer?.track({} as Track)
    }
    const unpublish = (path: string, reason: CloseReason) => ends.get(path)?.(reason)
    const resolve = (streamPath: string, params = {}) => hooks.resolve({ streamPath, params } as SessionRequest)
    const service = () => services.get('pull:x') as FakeService
    const paths = () => service().running.map(({ request }) => request.session.streamPath)
    const nodes = () => tasks.snapshot().children.flatMap(({ children }) => children)
    return { logged, services, watched, proxies, manager, publish, unpublish, resolve, service, paths, nodes, tasks }
  }

  it('has each pull connect by the proxy of its rule', async () => {
    const { manager, paths, proxies } = rig()
    manager.start(lasting('a', 'x://a', { proxy: 'socks5://host' }))
    manager.start(lasting('b', 'x://b'))
    await waitFor(() => paths().length === 2)
    expect(proxies.toSorted()).to.eql(['', 'socks5://host'])
    manager.close('done')
  })

  it('ends the pull of a path before another one begins', async () => {
    const { manager, service, paths } = rig()
    manager.start(lasting('a', 'x://a'))
    await waitFor(() => paths().length === 1)
    const [first] = service().running
    manager.start(lasting('a', 'x://other'))
    await waitFor(() => service().running.some(({ request }) => request.url === 'x://other'))
    expect(service().running).not.to.include(first)
    manager.close('done')
  })

  it('counts failures in a row, and from anew once the stream was up', async () => {
    const { manager, service, paths, publish, logged } = rig()
    manager.start(lasting('a', 'x://a', { maxretry: 1 }))
    const fail = async () => {
      await waitFor(() => paths().length === 1)
      service().running[0]?.fail(new Error('it broke'))
    }
    await fail()
    await waitFor(() => paths().length === 1)
    publish('a')
    await fail()
    await fail()
    await waitFor(() => logged.lines.filter(({ msg }) => msg === 'the pull failed: it broke').length === 3)
    expect(paths()).to.eql([])
  })

  for (const headerless of [false, true]) {
    it(`says ${headerless ? 'once ' : 'nothing '}of headers where the protocol has ${headerless ? 'none' : 'some'}`, async () => {
      const { manager, services, service, paths, logged } = rig()
      services.set('pull:x', new FakeService(headerless))
      const header = { 'x-key': ['h34der'] }
      manager.start(lasting('a', 'x://a', { maxretry: 1, header }))
      manager.start(lasting('b', 'x://b'))
      const failed = () => logged.lines.filter(({ msg }) => msg.startsWith('the pull failed'))
      for (let tries = 1; tries <= 2; tries++) {
        await waitFor(() => paths().includes('a'))
        service()
          .running.find(({ request }) => request.url === 'x://a')
          ?.fail(new Error('it broke'))
        await waitFor(() => failed().length === tries)
      }
      expect(logged.lines.filter(({ msg }) => msg.includes('(header)'))).to.have.length(headerless ? 1 : 0)
      expect(logged.text()).not.to.include('h34der')
      manager.close('done')
    })
  }

  it('tries again when no media came, but not when somebody closed the stream', async () => {
    const { manager, service, paths } = rig()
    manager.start(lasting('a', 'x://a', { maxretry: -1 }))
    await waitFor(() => paths().length === 1)
    service().running[0]?.end({ by: 'server', reason: { code: 'timeout', text: 'publish timeout' } })
    await waitFor(() => paths().length === 1)
    service().running[0]?.end({ by: 'server', reason: { code: 'stopped', text: 'stop by user' } })
    await waitFor(() => paths().length === 0)
  })

  it('goes on at once with the next generation of its plugin', async () => {
    const { manager, services, service, paths, logged } = rig()
    manager.start(lasting('a', 'x://a'))
    await waitFor(() => paths().length === 1)
    const old = service()
    services.set('pull:x', new FakeService())
    old.running[0]?.end({ by: 'server', reason: { code: 'unloaded', text: 'plugin replaced' } })
    await waitFor(() => paths().length === 1)
    expect(logged.lines.filter(({ msg }) => msg.includes('failed'))).to.eql([])
  })

  it('ends when its viewers have left, also when its plugin was replaced before', async () => {
    const { manager, services, service, paths } = rig()
    manager.start(lasting('a', 'x://a'))
    await waitFor(() => paths().length === 1)
    const old = service()
    const next = new FakeService()
    services.set('pull:x', next)
    old.running[0]?.end({ by: 'server', reason: { code: 'idle', text: 'publish delay close timeout' } })
    await waitFor(() => manager.get('a') === undefined)
    expect(next.running).to.eql([])
  })

  it('tries a lasting pull again without subscribers, until it is to last no more', async () => {
    const { manager, service } = rig()
    const policy = { maxretry: -1, retryinterval: 60_000 }
    manager.start(lasting('a', 'x://a', policy))
    await waitFor(() => service().running.length === 1)
    service().running[0]?.fail(new Error('it broke'))
    await waitFor(() => manager.get('a')?.job.state === 'retrying')
    manager.adapt(wish('a', 'x://a', policy))
    manager.get('a')?.retryNow()
    await waitFor(() => manager.get('a') === undefined)
  })

  it('can be stopped and restarted by an operator, and shows no secrets', async () => {
    const { manager, service, paths, nodes, tasks, logged } = rig()
    manager.start({ ...lasting('a', URL_WITH_SECRETS), origin: 'rule' })
    await waitFor(() => paths().length === 1)
    const [node] = nodes()
    expect(node?.owner).to.equal('a')
    expect(node?.description).to.eql({
      kind: 'pull',
      protocol: 'x',
      origin: 'rule',
      state: 'connecting',
      tries: '1',
      bitrate: '0 kbit/s',
      url: 'x://******@host/a?key=******',
    })
    const [before] = service().running
    const [listed] = manager.list()
    expect(listed?.origin).to.equal('rule')
    expect(listed?.progress).to.include({ id: node?.id, state: 'connecting', tries: 1, lastError: '' })
    tasks.find(node?.id ?? 0)?.restart()
    await waitFor(() => paths().length === 1 && service().running[0] !== before)
    expect(service().running[0]?.request.url).to.equal(URL_WITH_SECRETS)
    tasks.find(node?.id ?? 0)?.stop('enough')
    await waitFor(() => nodes().length === 0)
    expect(JSON.stringify(logged.lines)).not.to.match(/pa55|s3cret/u)
  })

  describe('for subscribers', () => {
    it('asks its sources by their stages, until one has the path or leaves it as it is', async () => {
      const { manager, resolve, service } = rig()
      manager.addSource(source('x://last'), { stage: 1 })
      manager.addSource({ match: (path) => (path === 'live/first' ? wish(path, 'x://first') : undefined) })
      manager.addSource({ match: (path) => (path === 'live/none' ? null : undefined) }, { stage: -1 })
      const answers = ['other', 'live/none', 'live/first', 'live/a'].map((path) => resolve(path))
      expect(await Promise.all(answers)).to.eql([false, false, true, true])
      await waitFor(() => service().running.length === 2)
      expect(service().running.map(({ request }) => request.url)).to.eql(['x://first', 'x://last'])
    })

    it('tries again only while somebody waits', async () => {
      const { manager, resolve, service, paths, watched, nodes } = rig()
      manager.addSource(source('x://h', { maxretry: -1 }))
      watched.add('live/a')
      await resolve('live/a')
      await waitFor(() => paths().length === 1)
      service().running[0]?.fail(new Error('it broke'))
      await waitFor(() => paths().length === 1)
      watched.clear()
      service().running[0]?.fail(new Error('it broke'))
      await waitFor(() => nodes().length === 0)
      watched.add('live/a')
      expect(await resolve('live/a')).to.equal(true)
      await waitFor(() => paths().length === 1)
    })

    it('begins another pull for who comes while one winds down', async () => {
      const { manager, resolve, service, paths, watched, publish, unpublish, nodes } = rig()
      manager.addSource(source('x://h'))
      watched.add('live/a')
      await resolve('live/a')
      await waitFor(() => paths().length === 1)
      const [first] = service().running
      publish('live/a')
      unpublish('live/a', { code: 'idle', text: 'publish delay close timeout' })
      expect(await resolve('live/a')).to.equal(true)
      first?.end({ by: 'server', reason: { code: 'idle', text: 'publish delay close timeout' } })
      await waitFor(() => paths().length === 1 && service().running[0] !== first)
      const [second] = service().running
      publish('live/a')
      expect(await resolve('live/a')).to.equal(true)
      second?.end({ by: 'source' })
      await waitFor(() => nodes().length === 0)
      expect(paths()).to.eql([])
    })

    it('leaves a pull alone that is tried again anyway', async () => {
      const { manager, resolve, service, paths, watched, publish, unpublish } = rig()
      manager.addSource(source('x://h', { maxretry: -1 }))
      watched.add('live/a')
      await resolve('live/a')
      await waitFor(() => paths().length === 1)
      const [first] = service().running
      publish('live/a')
      unpublish('live/a', { code: 'timeout', text: 'publish timeout' })
      expect(await resolve('live/a')).to.equal(true)
      expect(first?.request.signal.aborted).to.equal(false)
    })

    it('goes on with a source that has the same, begins anew with another one, and ends without one', async () => {
      const { manager, resolve, service, paths, watched } = rig()
      const removeFirst = manager.addSource(source('x://h'))
      watched.add('live/a-b')
      await resolve('live/a-b')
      await waitFor(() => paths().length === 1)
      const [first] = service().running
      const removeSecond = manager.addSource(source('x://h'))
      removeFirst()
      const removeThird = manager.addSource(source('x://new'), { stage: -1 })
      expect(first?.request.signal.aborted).to.equal(false)
      removeSecond()
      await waitFor(() => service().running[0]?.request.url === 'x://new')
      removeThird()
      await waitFor(() => paths().length === 0)
    })

    it('leaves a pull alone that another plugin has started', async () => {
      const { manager, service } = rig()
      const remove = manager.addSource(source('x://h'), {}, 'one')
      manager.start(lasting('a', 'x://a'), 'one')
      manager.start(lasting('b', 'x://b'), 'another')
      await waitFor(() => service().running.length === 2)
      remove()
      expect([manager.get('a')?.ending, manager.get('b')?.ending]).to.eql([true, false])
      manager.close('done')
    })

    it('leaves a pull as it is where a source says so', async () => {
      const { manager, service } = rig()
      manager.addSource({ match: () => null }, { stage: -1 })
      const remove = manager.addSource(source('x://other'))
      manager.start(lasting('live/a', 'x://a'))
      await waitFor(() => service().running.length === 1)
      remove()
      manager.restart('live/a')
      expect(manager.get('live/a')).to.include({ ending: false })
      expect(manager.get('live/a')?.wish.rule.url).to.equal('x://a')
      manager.close('done')
    })
  })

  it('knows the plugin of an address by its scheme, else by its ending, as the services say of themselves', () => {
    const { manager, services } = rig()
    services.set('pull:x', Object.assign(new FakeService(), { schemes: ['x', 'xs'], endings: ['.m3u8'] }))
    services.set('pull:y', Object.assign(new FakeService(), { endings: ['.m3u8', '.y'] }))
    const addresses = ['xs://h/a.y', 'http://h/a.M3U8?b=c.y', 'http://h/a.y', 'http://h/a.z', 'silent://h/a']
    const found = addresses.map((address) => manager.protocolOf(address))
    expect(found).to.eql(['x', 'x', 'y', undefined, undefined])
  })

  it('tells that the stream is up, or why not', async () => {
    const { manager, service, paths, publish } = rig()
    const first = manager.start(lasting('a', 'x://a'))
    await waitFor(() => paths().length === 1)
    publish('a')
    await first?.begun
    const second = manager.start(lasting('b', 'x://b'))?.begun.catch((error: unknown) => error)
    await waitFor(() => paths().length === 2)
    service().running[1]?.fail(new Error('it broke'))
    expect(await second).to.include({ message: 'it broke' })
    manager.close('done')
  })

  it('ends with the server, and begins no more', async () => {
    const { manager, paths } = rig()
    const begun = manager.start(lasting('a', 'x://a'))?.begun.catch((error: unknown) => error)
    await waitFor(() => paths().length === 1)
    manager.close('the server is stopping')
    expect(await begun).to.be.an('error')
    expect(paths()).to.eql([])
    expect(manager.start(lasting('a', 'x://a'))).to.equal(undefined)
  })
})
