import { expect } from 'chai'
import {
  InheritedConfig,
  type CloseReason,
  type Publisher,
  type PullEnd,
  type PullRequest,
  type PullRule,
  type PullService,
  type RuleSection,
  type SessionRequest,
  type Track,
} from 'sluice/sdk'
import { directDialer, effectiveConfig } from 'sluice/sdk/testing'
import { waitFor } from '../../test/peers/wait-for.ts'
import { HookRunner } from '../host/hooks/hook-runner.ts'
import { logLines } from '../host/testing/log-lines.ts'
import { TaskTree } from '../observe/task-tree.ts'
import { PullManager } from './pull-manager.ts'
import { ON_DEMAND_IDLE_MS } from './pull-rules.ts'

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

type Rules = { readonly pull?: Record<string, PullRule>; readonly onsub?: Record<string, PullRule> }

function plugin({ pull = {}, onsub = {} }: Rules, name = 'x'): RuleSection<'pull'> {
  return { plugin: name, config: { ...effectiveConfig({ config: InheritedConfig }), pull, onsub: { pull: onsub } } }
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
    manager.apply([plugin({ pull: { a: rule('x://a', { proxy: 'socks5://host' }), b: rule('x://b') } })])
    await waitFor(() => paths().length === 2)
    expect(proxies.toSorted()).to.eql(['', 'socks5://host'])
    manager.close('done')
  })

  it('keeps the pulls of rules that stay, and starts and ends those of others', async () => {
    const { manager, service, paths } = rig()
    manager.apply([plugin({ pull: { a: rule('x://a'), b: rule('x://b') } })])
    await waitFor(() => paths().length === 2)
    const [first] = service().running
    manager.apply([plugin({ pull: { a: rule('x://a'), b: rule('x://other'), c: rule('x://c') } })])
    await waitFor(() => service().running.some(({ request }) => request.url === 'x://other') && paths().length === 3)
    expect(service().running).to.include(first)
    manager.apply([])
    await waitFor(() => paths().length === 0)
  })

  it('gives a path to the first rule for it', async () => {
    const { manager, services, paths } = rig()
    services.set('pull:y', new FakeService())
    manager.apply([plugin({ pull: { a: rule('x://a') } }), plugin({ pull: { a: rule('y://a') } }, 'y')])
    await waitFor(() => paths().length === 1)
    expect((services.get('pull:y') as FakeService).running).to.eql([])
  })

  it('does not begin again what is over, until its rule changes', async () => {
    const { manager, service, paths } = rig()
    const rules = [plugin({ pull: { a: rule('x://a') } })]
    manager.apply(rules)
    await waitFor(() => paths().length === 1)
    service().running[0]?.end({ by: 'source' })
    await waitFor(() => paths().length === 0)
    manager.apply(rules)
    expect(paths()).to.eql([])
    manager.apply([plugin({ pull: { a: rule('x://new') } })])
    await waitFor(() => paths().length === 1)
  })

  it('counts failures in a row, and from anew once the stream was up', async () => {
    const { manager, service, paths, publish, logged } = rig()
    manager.apply([plugin({ pull: { a: rule('x://a', { maxretry: 1 }) } })])
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
      manager.apply([plugin({ pull: { a: rule('x://a', { maxretry: 1, header }), b: rule('x://b') } })])
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
    manager.apply([plugin({ pull: { a: rule('x://a', { maxretry: -1 }) } })])
    await waitFor(() => paths().length === 1)
    service().running[0]?.end({ by: 'server', reason: { code: 'timeout', text: 'publish timeout' } })
    await waitFor(() => paths().length === 1)
    service().running[0]?.end({ by: 'server', reason: { code: 'stopped', text: 'stop by user' } })
    await waitFor(() => paths().length === 0)
  })

  it('goes on at once with the next generation of its plugin', async () => {
    const { manager, services, service, paths, logged } = rig()
    manager.apply([plugin({ pull: { a: rule('x://a') } })])
    await waitFor(() => paths().length === 1)
    const old = service()
    services.set('pull:x', new FakeService())
    old.running[0]?.end({ by: 'server', reason: { code: 'unloaded', text: 'plugin replaced' } })
    await waitFor(() => paths().length === 1)
    expect(logged.lines.filter(({ msg }) => msg.includes('failed'))).to.eql([])
  })

  it('tries a lasting pull again without subscribers, until it is to last no more', async () => {
    const { manager, service } = rig()
    const policy = { maxretry: -1, retryinterval: 60_000 }
    const wish = { plugin: 'x', streamPath: 'a', rule: rule('x://a', policy), publish: {}, args: {} }
    manager.start({ ...wish, isLasting: true })
    await waitFor(() => service().running.length === 1)
    service().running[0]?.fail(new Error('it broke'))
    await waitFor(() => manager.get('a')?.job.state === 'retrying')
    manager.adapt({ ...wish, isLasting: false })
    manager.get('a')?.retryNow()
    await waitFor(() => manager.get('a') === undefined)
  })

  it('can be stopped and restarted by an operator, and shows no secrets', async () => {
    const { manager, service, paths, nodes, tasks, logged } = rig()
    manager.apply([plugin({ pull: { a: rule(URL_WITH_SECRETS) } })])
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
    tasks.find(node?.id ?? 0)?.restart()
    await waitFor(() => paths().length === 1 && service().running[0] !== before)
    expect(service().running[0]?.request.url).to.equal(URL_WITH_SECRETS)
    tasks.find(node?.id ?? 0)?.stop('enough')
    await waitFor(() => nodes().length === 0)
    expect(JSON.stringify(logged.lines)).not.to.match(/pa55|s3cret/u)
  })

  describe('for subscribers', () => {
    const ON_DEMAND = [plugin({ onsub: { '^live/(.+)-(.+)$': rule('x://h/$2/$1?p=$0$9'), '^live/': rule('x://h') } })]

    it('fills in what the first rule that matches has matched', async () => {
      const { manager, resolve, service } = rig()
      manager.apply(ON_DEMAND)
      expect(await resolve('other/a-b')).to.equal(false)
      expect(await resolve('live/a-b')).to.equal(true)
      expect(await resolve('live/a-b')).to.equal(true)
      await waitFor(() => service().running.length > 0)
      expect(service().running.map(({ request }) => request.url)).to.eql(['x://h/b/a?p=live/a-b$9'])
      const idle = { idletimeout: ON_DEMAND_IDLE_MS, delayclosetimeout: ON_DEMAND_IDLE_MS }
      expect(service().running[0]?.request.options.config).to.eql(idle)
    })

    it('lets no path out of its place in an address', async () => {
      const { manager, resolve, service } = rig()
      manager.apply([plugin({ onsub: { '^a/(.+)$': rule('x://h/$1?p=$1'), '^b/(.+)$': rule('file/$1') } })])
      await resolve('a/%2e%2e/x&y=1@z:é')
      await resolve('b/%2e/é')
      await waitFor(() => service().running.length === 2)
      const escaped = '%252e%252e/x%26y%3D1%40z%3A%C3%A9'
      expect(service().running.map(({ request }) => request.url)).to.eql([
        `x://h/${escaped}?p=${escaped}`,
        'file/%2e/é',
      ])
    })

    it('tries again only while somebody waits', async () => {
      const { manager, resolve, service, paths, watched, nodes } = rig()
      manager.apply([plugin({ onsub: { '^live/': rule('x://h', { maxretry: -1 }) } })])
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
      manager.apply([plugin({ onsub: { '^live/': rule('x://h') } })])
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
      manager.apply([plugin({ onsub: { '^live/': rule('x://h', { maxretry: -1 }) } })])
      watched.add('live/a')
      await resolve('live/a')
      await waitFor(() => paths().length === 1)
      const [first] = service().running
      publish('live/a')
      unpublish('live/a', { code: 'timeout', text: 'publish timeout' })
      expect(await resolve('live/a')).to.equal(true)
      expect(first?.request.signal.aborted).to.equal(false)
    })

    it('follows a rule that changes', async () => {
      const { manager, resolve, service, paths, watched } = rig()
      manager.apply(ON_DEMAND)
      watched.add('live/a-b')
      await resolve('live/a-b')
      await waitFor(() => paths().length === 1)
      manager.apply([plugin({ onsub: { '^live/': rule('x://new') } })])
      await waitFor(() => service().running[0]?.request.url === 'x://new')
      manager.apply([])
      await waitFor(() => paths().length === 0)
    })
  })

  it('knows the plugin of an address by its scheme, else by its ending, as the services say of themselves', () => {
    const { manager, services } = rig()
    services.set('pull:x', Object.assign(new FakeService(), { schemes: ['x', 'xs'], endings: ['.m3u8'] }))
    services.set('pull:y', Object.assign(new FakeService(), { endings: ['.m3u8', '.y'] }))
    manager.apply([plugin({}), plugin({}, 'y'), plugin({}, 'silent')])
    const addresses = ['xs://h/a.y', 'http://h/a.M3U8?b=c.y', 'http://h/a.y', 'http://h/a.z', 'silent://h/a']
    const found = addresses.map((address) => manager.protocolOf(address))
    expect(found).to.eql(['x', 'x', 'y', undefined, undefined])
  })

  describe('for operators', () => {
    const wanted = { plugin: 'x', streamPath: 'a', rule: rule('x://a'), publish: {}, args: {} }

    it('tells that the stream is up, or why not', async () => {
      const { manager, service, paths, publish } = rig()
      const first = manager.request(wanted)
      await waitFor(() => paths().length === 1)
      publish('a')
      await first
      const second = manager.request({ ...wanted, streamPath: 'b' }).catch((error: unknown) => error)
      await waitFor(() => paths().length === 2)
      service().running[1]?.fail(new Error('it broke'))
      expect(await second).to.include({ message: 'it broke', statusCode: 502 })
    })

    it('ends with the server, and begins no more', async () => {
      const { manager, paths } = rig()
      const first = manager.request(wanted).catch((error: unknown) => error)
      await waitFor(() => paths().length === 1)
      manager.close('the server is stopping')
      expect(await first).to.be.an('error')
      expect(paths()).to.eql([])
      expect(await manager.request(wanted).catch((error: unknown) => error)).to.include({ statusCode: 503 })
    })
  })
})
