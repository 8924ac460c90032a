import { expect } from 'chai'
import { StreamPath, Type } from 'sluice/sdk'
import type { PluginHttp } from './plugin-http.ts'
import { HttpFixture } from './testing/http-fixture.ts'

const PUBLIC = { config: { access: 'public' } } as const
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.7' }
const FOREIGN_PAGE = { origin: 'https://page.example' }
const STREAM = Type.Object({ streamPath: StreamPath() })

describe('the administration of plugins', () => {
  let fixture: HttpFixture

  beforeEach(async () => {
    fixture = new HttpFixture({ upgradeTimeoutMs: 50 })
    await fixture.host.start()
  })

  afterEach(() => fixture.close())

  async function status(path: string, init: RequestInit = {}, port = fixture.port): Promise<number> {
    return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status
  }

  /** From this machine, from another, and for a page of another site. */
  async function statuses(path: string, method = 'GET'): Promise<number[]> {
    const answers = []
    for (const headers of [{}, ELSEWHERE, FOREIGN_PAGE]) answers.push(await status(path, { method, headers }))
    return answers
  }

  describe('guards routes', () => {
    beforeEach(async () => {
      const plugin = await fixture.plugin('x')
      plugin.instance.get('/read', () => 'read')
      plugin.instance.post('/change', () => 'changed')
      plugin.instance.get('/switch', { config: { changes: true } }, () => 'changed')
      plugin.instance.get('/secret', { config: { access: 'admin' } }, () => 'secret')
      plugin.instance.post('/upload', PUBLIC, () => 'thanks')
      await plugin.instance.register(async (child) => void child.get('/child', () => 'read'))
      await plugin.activate()
    })

    const routes: readonly (readonly [method: string, path: string, statuses: readonly number[]])[] = [
      ['GET', '/x/read', [200, 401, 200]],
      ['HEAD', '/x/read', [200, 401, 200]],
      ['GET', '/x/child', [200, 401, 200]],
      ['POST', '/x/change', [200, 401, 403]],
      ['GET', '/x/switch', [200, 401, 403]],
      ['HEAD', '/x/switch', [200, 401, 403]],
      ['GET', '/x/secret', [200, 401, 403]],
      ['POST', '/x/upload', [200, 200, 200]],
      ['GET', '/x/none', [404, 404, 404]],
      ['DELETE', '/x/read', [405, 405, 405]],
    ]
    for (const [method, path, expected] of routes) {
      it(`${method} ${path}`, async () => expect(await statuses(path, method)).to.eql(expected))
    }
  })

  describe('guards upgrades', () => {
    const upgrade = async (path: string, headers: Record<string, string> = {}) => {
      const lines = Object.entries({ Host: 'localhost', Connection: 'Upgrade', Upgrade: 'websocket', ...headers })
      const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
      return (await fixture.exchange(`GET ${path} HTTP/1.1\r\n${head}\r\n`)).slice(0, 'HTTP/1.1 401'.length)
    }
    const asked = async (path: string) => [
      await upgrade(path),
      await upgrade(path, ELSEWHERE),
      await upgrade(path, FOREIGN_PAGE),
    ]

    beforeEach(async () => {
      const plugin = await fixture.plugin('x')
      plugin.instance.get('/live/*', PUBLIC, () => 'media')
      plugin.instance.get('/live/status', () => 'status')
      plugin.instance.server.on('upgrade', (_request, socket) => socket.end('welcome'))
      await plugin.activate()
    })

    it('but those at paths where all that may be read is public', async () => {
      expect(await asked('/x/live/a?b')).to.eql(['welcome', 'welcome', 'welcome'])
      expect(await asked('/x/live/status')).to.eql(['welcome', 'HTTP/1.1 401', 'HTTP/1.1 403'])
      expect(await asked('/x/none')).to.eql(['welcome', 'HTTP/1.1 401', 'HTTP/1.1 403'])
    })
  })

  it('is answered where the server has its own, and at own addresses of the plugin', async () => {
    const prepare = async (name: string, listenaddr: string) => {
      const plugin = await fixture.plugin(name, [name], { listenaddr })
      plugin.instance.get('/read', () => 'read')
      plugin.instance.get('/media', PUBLIC, () => 'media')
      plugin.operations.add({ method: 'GET', path: `/api/${name}`, summary: 'Absolute', handle() {} })
      await plugin.activate()
      return plugin
    }
    const own = await prepare('own', '127.0.0.2:0')
    const ownPort = own.addresses[0]?.port ?? 0
    const atOwn = async (path: string) => (await fetch(`http://127.0.0.2:${ownPort}${path}`)).status
    expect([await atOwn('/read'), await atOwn('/media'), await atOwn('/api/own')]).to.eql([200, 200, 404])
    await fixture.host.applyConfig(fixture.config({}, { listenaddr: '127.0.0.1:0' }))
    expect([await atOwn('/read'), await atOwn('/media')]).to.eql([404, 200])
    const paths = ['/own/read', '/own/media', '/api/own']
    const at = (port: number) => Promise.all(paths.map((path) => status(path, {}, port)))
    expect(await at(fixture.port)).to.eql([404, 200, 404])
    expect(await at(fixture.host.adminAddresses[0]?.port ?? 0)).to.eql([200, 200, 200])
  })

  describe('has absolute paths', () => {
    function add(plugin: PluginHttp, path: string, name: string, method: 'GET' | 'POST' = 'GET') {
      const params = Type.Object({
        ...(path.includes('{id}') && { id: Type.String() }),
        ...(path.includes('{streamPath}') && { streamPath: StreamPath() }),
      })
      plugin.operations.add({ method, path, summary: name, params, answer: Type.String(), handle: () => name })
    }

    async function plugin(name: string, ...paths: readonly string[]): Promise<PluginHttp> {
      const made = await fixture.plugin(name)
      for (const path of paths) add(made, path, `${name} ${path}`)
      await made.activate()
      return made
    }

    const answer = async (path: string) => {
      const { data } = (await (await fetch(fixture.url(path))).json()) as { data?: string }
      return data
    }

    it('of which the one that names a path most closely has it', async () => {
      await plugin('a', '/api/record/{streamPath}')
      await plugin('b', '/api/record/{id}/list/{streamPath}')
      await plugin('c', '/api/record/list')
      expect(await answer('/api/record/list')).to.equal('c /api/record/list')
      expect(await answer('/api/record/mp4/list/live/a')).to.equal('b /api/record/{id}/list/{streamPath}')
      expect(await answer('/api/record/live/a')).to.equal('a /api/record/{streamPath}')
      expect(await status('/api/record/list', { method: 'POST' })).to.equal(405)
      expect(await statuses('/api/record/list')).to.eql([200, 401, 200])
    })

    it("which are the newest generation's, and gone with the last", async () => {
      const first = await plugin('a', '/api/one', '/api/two')
      const second = await plugin('a', '/api/one')
      await first.retire()
      expect([await status('/api/one'), await status('/api/two')]).to.eql([200, 404])
      await second.dispose()
      await first.dispose()
      expect(await status('/api/one')).to.equal(404)
    })

    it('which may be below one of its mounts, and are then of that mount alone', async () => {
      const made = await fixture.plugin('plans', ['plan', 'slot'])
      made.instance.get('/api/list', PUBLIC, () => ({ data: 'both' }))
      add(made, '/plan/api/list', 'of plans')
      add(made, '/plan/api/remove/{streamPath}', 'removed', 'POST')
      await made.activate()
      expect([await answer('/plan/api/list?a=b'), await answer('/slot/api/list')]).to.eql(['of plans', 'both'])
      expect(await statuses('/plan/api/list')).to.eql([200, 401, 200])
      expect(await statuses('/plan/api/remove/1/live/a', 'POST')).to.eql([200, 401, 403])
      const wrong = [
        await status('/plan/api/list', { method: 'POST' }),
        await status('/slot/api/remove/1', { method: 'POST' }),
      ]
      expect(wrong).to.eql([405, 404])
      expect(await status('/plan/plan/api/list')).to.equal(404)
    })

    it('which may be below debug and monitor, whoever has the prefix, and come first there', async () => {
      const made = await fixture.plugin('debug')
      for (const path of ['/api/list', '/api/heap']) made.instance.get(path, PUBLIC, () => ({ data: 'of debug' }))
      await made.activate()
      const history = await plugin('history', '/debug/api/list', '/monitor/api/list')
      const paths = ['/debug/api/list', '/monitor/api/list', '/debug/api/heap']
      const answers = () => Promise.all(paths.map(answer))
      expect(await answers()).to.eql(['history /debug/api/list', 'history /monitor/api/list', 'of debug'])
      expect(await statuses('/debug/api/list')).to.eql([200, 401, 200])
      await history.dispose()
      expect(await Promise.all([status('/debug/api/list'), status('/monitor/api/list')])).to.eql([200, 404])
      expect(await answer('/debug/api/list')).to.equal('of debug')
    })

    it("which are at the plugin's own addresses, too, where they are below its mounts", async () => {
      const made = await fixture.plugin('plans', ['plan', 'slot'], { listenaddr: '127.0.0.2:0' })
      add(made, '/plan/api/list', 'of plans')
      await made.activate()
      const port = made.addresses[0]?.port ?? 0
      const at = async (path: string) => (await fetch(`http://127.0.0.2:${port}${path}`)).status
      expect([await at('/plan/api/list'), await at('/slot/api/list'), await at('/api/list')]).to.eql([200, 404, 404])
    })

    const refusals: readonly (readonly [path: string, why: string])[] = [
      ['/api/metrics', 'the path belongs to the server'],
      ['/api/stream/info/{streamPath}', 'the path belongs to the server'],
      ['/api/taken/{id}', 'the path belongs to the plugin holder'],
      ['/apis/mine', 'absolute paths of plugins begin with /api/ or a mount of theirs'],
      ['/live/a', 'absolute paths of plugins begin with /api/ or a mount of theirs'],
    ]
    for (const [path, why] of refusals) {
      it(`and none at ${path}: ${why}`, async () => {
        await fixture.close()
        fixture = new HttpFixture()
        fixture.host.admin.get('/api/metrics', () => 'metrics')
        fixture.host.operations.add({
          method: 'GET',
          path: '/api/stream/info/{streamPath}',
          summary: 'Info',
          params: STREAM,
          handle() {},
        })
        await fixture.host.start()
        // Also while it is still being set up.
        const holder = await fixture.plugin('holder')
        const params = Type.Object({ other: Type.String() })
        holder.operations.add({ method: 'GET', path: '/api/taken/{other}', summary: 'Taken', params, handle() {} })
        const other = await fixture.plugin('other')
        expect(() => add(other, path, 'mine')).to.throw(`other: can't serve GET ${path}: ${why}`)
        if (path.startsWith('/api/')) add(other, path, 'mine', 'POST')
      })
    }
  })
})
