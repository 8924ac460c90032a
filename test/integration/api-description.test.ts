import { request } from 'node:http'
import { expect } from 'chai'
import { documentProblems, spellingsOf, type OpenApi } from '../support/api/openapi.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const ELSEWHERE = { headers: { 'x-forwarded-for': '203.0.113.7' } }
const SHIPPED = { SLUICE_DEMO_ENABLE: 'true', SLUICE_JSMPEG_ENABLE: 'true' }

/** Guarded routes that are no operations, as their clients want no JSON. */
const RAW: readonly RegExp[] = [/^GET \/metrics$/u, /^GET \/api\/metrics$/u, /^GET \/api\/docs(?:\/.*)?$/u]

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

  it('has every route that is not for everybody, but for some raw ones', () => {
    const described = new Set(spellingsOf(document).map(({ method, path }) => shapeOf(`${method} ${path}`)))
    const guarded = server.server.http.operationsByOwner().flatMap(({ plugin, mounts, routes }) =>
      [...routes]
        .filter(({ access }) => access !== 'public')
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
      expect(page.status).to.equal(200)
      expect(page.headers.get('content-security-policy')).to.include("script-src 'self'").and.not.include('unsafe')
      const scripts = [...(await page.text()).matchAll(/<script src="([^"]+)"/gu)].map(([, src = '']) => src)
      expect(scripts).to.have.length(3)
      for (const src of scripts) expect((await fetch(server.http(src))).status, src).to.equal(200)
      expect(await (await fetch(server.http('/api/docs/json'))).json()).to.eql(document)
    })

    it('that is as closed as the rest of administration', async () => {
      for (const path of ['', '/', '/json', '/yaml', '/static/swagger-ui.css', '/static/none.js']) {
        expect((await fetch(server.http(`/api/docs${path}`), ELSEWHERE)).status, path).to.equal(401)
      }
    })

    it('that gives no other files', async () => {
      for (const path of [
        '../package.json',
        '..%2fpackage.json',
        '%2e%2e/package.json',
        '....//package.json',
        'none',
      ]) {
        expect(await statusOf(`/api/docs/static/${path}`), path).to.be.oneOf([403, 404])
      }
    })
  })

  /** Of a target that goes out as it is. */
  function statusOf(path: string): Promise<number | undefined> {
    return new Promise((resolve, reject) => {
      request({ port: server.httpPort, host: '127.0.0.1', path }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
  }

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
