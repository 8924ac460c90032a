import { expect } from 'chai'
import { Type } from 'sluice/sdk'
import type { PluginHttp } from './plugin-http.ts'
import { HttpFixture } from './testing/http-fixture.ts'

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PROGRAMS: readonly (Record<string, string> | undefined)[] = [
  undefined,
  { accept: '*/*' },
  { accept: 'application/json' },
]
const STANDS_FOR = {
  '/config': '/config',
  '/config/': '/config',
  '/config/{plugin}': '/config/{plugin}',
  '/tool/api/jobs/{id}': '/jobs/{id}/of/tool',
}

describe('pages that stand for operations in browsers', () => {
  let fixture: HttpFixture
  let panel: PluginHttp

  beforeEach(async () => {
    fixture = new HttpFixture()
    const { operations } = fixture.host
    const common = { method: 'GET', summary: 'X', answer: Type.String(), handle: () => 'the answer' } as const
    operations.add({ ...common, path: '/config/', aliases: ['/config', '/api/config'] })
    operations.add({ ...common, path: '/config/{plugin}', params: Type.Object({ plugin: Type.String() }) })
    operations.add({ ...common, path: '/config/schema/{plugin}', params: Type.Object({ plugin: Type.String() }) })
    operations.add({
      ...common,
      method: 'PUT',
      path: '/config/{plugin}',
      params: Type.Object({ plugin: Type.String() }),
    })
    await fixture.host.start()
    panel = await fixture.plugin('panel', ['panel', 'p'])
    panel.instance.get('/*', { config: { access: 'page', standsFor: STANDS_FOR } }, () => 'the page')
    await panel.activate()
    const tool = await fixture.plugin('tool')
    tool.operations.add({ ...common, path: 'api/jobs/{id}', params: Type.Object({ id: Type.String() }) })
    await tool.activate()
  })

  afterEach(() => fixture.close())

  function ask(path: string, headers?: Record<string, string>, method = 'GET'): Promise<Response> {
    return fetch(fixture.url(path), { method, redirect: 'manual', ...(headers && { headers }) })
  }

  const led = [
    ['/config', '/panel/config'],
    ['/config/', '/panel/config'],
    ['/config/rtmp', '/panel/config/rtmp'],
    ['/config/a%2Fb?tab=1?2', '/panel/config/a%2Fb?tab=1?2'],
    ['/tool/api/jobs/7', '/panel/jobs/7/of/tool'],
  ] as const
  for (const [path, page] of led) {
    it(`lead browsers from ${path} to ${page}, below a path of a proxy's, too`, async () => {
      for (const method of ['GET', 'HEAD']) {
        const answer = await ask(path, BROWSER, method)
        expect([answer.status, answer.headers.get('vary')]).to.eql([302, 'accept'])
        const location = answer.headers.get('location') ?? ''
        expect(new URL(location, `https://example.com/tv${path}`).href).to.equal(`https://example.com/tv${page}`)
      }
    })

    it(`leave ${path} to programs`, async () => {
      for (const headers of PROGRAMS) {
        const answer = await ask(path, headers)
        expect([answer.status, answer.headers.get('vary')]).to.eql([200, 'accept'])
        expect(await answer.json()).to.include({ data: 'the answer' })
      }
    })
  }

  it('lead from no other address, and change nothing of what is no reading', async () => {
    for (const path of ['/api/config', '/config/schema/rtmp']) {
      const answer = await ask(path, BROWSER)
      expect([answer.status, answer.headers.get('vary')], path).to.eql([200, null])
    }
    expect((await ask('/config/rtmp', BROWSER, 'PUT')).status).to.equal(200)
    expect((await ask('/config//', BROWSER)).status).to.equal(404)
  })

  it('lead nobody whom the administration does not answer', async () => {
    const answer = await ask('/config/rtmp', { ...BROWSER, 'x-forwarded-for': '203.0.113.7' })
    expect([answer.status, answer.headers.get('location')]).to.eql([401, null])
  })

  it('lead no more when their plugin is gone', async () => {
    await panel.retire()
    const answer = await ask('/config/rtmp', BROWSER)
    expect([answer.status, answer.headers.get('vary')]).to.eql([200, null])
  })
})
