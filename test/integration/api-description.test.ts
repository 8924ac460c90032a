import { expect } from 'chai'
import { documentProblems, spellingsOf, type OpenApi } from '../support/api/openapi.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const ELSEWHERE = { headers: { 'x-forwarded-for': '203.0.113.7' } }
const SHIPPED = { SLUICE_DEMO_ENABLE: 'true', SLUICE_JSMPEG_ENABLE: 'true' }

/** Guarded routes that are no operations: their clients want no JSON, or they belong to those that answer pictures and files. */
const RAW: readonly RegExp[] = [
  /^GET \/metrics$/u,
  /^GET \/api\/metrics$/u,
  /^GET \/gb28181\/download$/u,
  /^GET \/snap\/(?:batch\/|batchplayback\/)?\*$/u,
]

describe('the description of the API', () => {
  let server: RunningServer
  let document: OpenApi
  before(async () => {
    server = await startServer({ env: SHIPPED })
    document = (await server.api('/api/openapi.json')).body as unknown as OpenApi
  })

  it('is valid and complete, plugins included', () => {
    expect(documentProblems(document)).to.eql([])
    expect(Object.keys(document.paths)).to.include.members([
      '/api/openapi.json',
      '/api/stream/info/{streamPath}',
      '/v6/api/streams/secret',
      '/rtmp/api/push/{streamPath}',
    ])
    expect(document.info['license']).to.eql({ name: 'MIT', identifier: 'MIT' })
  })

  it('has every route that is not for everybody, but for pages and some raw ones', () => {
    const described = new Set(spellingsOf(document).map(({ method, path }) => shapeOf(`${method} ${path}`)))
    const guarded = server.server.http.operationsByOwner().flatMap(({ plugin, mounts, routes }) =>
      [...routes]
        .filter(({ access }) => access !== 'public' && access !== 'page')
        .flatMap(({ methods, pattern }) => methods.map((method) => ({ method, pattern })))
        // What may be got may be asked about, too.
        .filter(({ method }) => method !== 'HEAD')
        .map(({ method, pattern }) => ({ plugin, places: placesOf(pattern, mounts).map((at) => `${method} ${at}`) })),
    )
    expect(guarded.length).to.be.greaterThan(30)
    const isKnown = (place: string) => described.has(shapeOf(place)) || RAW.some((raw) => raw.test(place))
    expect(guarded.filter(({ places }) => !places.some(isKnown))).to.eql([])
  })

  describe('has a page', () => {
    it('that takes scripts of this server alone', async () => {
      const page = await fetch(server.http('/api/docs'))
      expect(page.headers.get('content-security-policy')).to.include("script-src 'self'").and.not.include('unsafe')
      const files = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/gu)].map(([, file = '']) => file)
      expect(files).to.have.length(5)
      for (const file of files) expect((await fetch(new URL(file, page.url))).status, file).to.equal(200)
    })

    it('that is as closed as the rest of administration, while login is off', async () => {
      for (const path of ['/api/docs', '/api/docs/page.js', '/api/openapi.json']) {
        expect((await fetch(server.http(path), ELSEWHERE)).status, path).to.equal(401)
      }
    })
  })

  after(() => expect(server?.problems).to.eql([]))
})

/** Where a route of a plugin may be: at its own address, or below its mounts. */
function placesOf(pattern: string, mounts: readonly string[]): string[] {
  return [pattern, ...mounts.map((mount) => `/${mount}${pattern}`)]
}

/** A path without the names of its parameters, as fastify and as OpenAPI write them. */
function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}|:\w+|\*/gu, '{}')
}
