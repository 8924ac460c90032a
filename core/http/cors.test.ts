import { expect } from 'chai'
import { HttpFixture } from './testing/http-fixture.ts'

const ORIGIN = 'https://player.example'
const ALLOWED =
  'Content-Type, Access-Token, Authorization, Range, If-Range, If-Match, If-None-Match, If-Modified-Since, If-Unmodified-Since, ' +
  'Cache-Control, Pragma'
const EXPOSED =
  'Accept-Ranges, Age, Content-Disposition, Content-Length, Content-Range, Date, ETag, Last-Modified, Location, Retry-After, X-Request-Id'
const MEDIA = {
  'access-control-allow-credentials': 'true',
  'access-control-allow-headers': ALLOWED,
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-private-network': 'true',
  'access-control-expose-headers': `${EXPOSED}, Link`,
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Origin',
}
const PUBLIC = { config: { access: 'public' } } as const
const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'POST' }

const CASES = [
  { name: 'no origin', path: '/open/a', headers: {}, origin: '*', status: 200 },
  { name: 'a plugin route', path: '/open/a', status: 200 },
  { name: 'a hijacked reply', path: '/open/hijacked', status: 200 },
  { name: 'an unknown path', path: '/open/nothing', status: 404 },
  { name: 'a preflight', path: '/open/a', method: 'OPTIONS', headers: PREFLIGHT, status: 200, empty: true },
  {
    name: 'a preflight of a hijacking route',
    path: '/open/hijacked',
    method: 'OPTIONS',
    headers: PREFLIGHT,
    status: 200,
    empty: true,
  },
  { name: 'OPTIONS of a known path', path: '/open/a', method: 'OPTIONS', status: 200, empty: true },
  { name: "OPTIONS of a plugin's own", path: '/open/own', method: 'OPTIONS', status: 204, empty: true },
]

describe('CORS', () => {
  let fixture: HttpFixture

  before(async () => {
    fixture = new HttpFixture()
    fixture.host.core.get('/core', () => 'core')
    fixture.host.admin.get('/api/a', () => 'a')
    fixture.host.admin.get('/api/throw', async () => {
      throw new Error('thrown')
    })
    for (const [name, cors] of [
      ['open', true],
      ['closed', false],
    ] as const) {
      const { instance, activate } = await prepare(name, cors)
      instance.get('/a', PUBLIC, () => 'a')
      instance.get('/guarded', () => 'guarded')
      instance.options('/own', PUBLIC, (_request, reply) => reply.code(204).send())
      instance.get('/hijacked', PUBLIC, (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200, { 'content-type': 'video/x-flv' })
        reply.raw.end('media')
      })
      await activate()
    }
    await fixture.host.start()
  })

  after(() => fixture.close())

  async function prepare(name: string, cors: boolean) {
    const plugin = await fixture.plugin(name, [name], { cors })
    return { instance: plugin.instance, activate: () => plugin.activate() }
  }

  for (const {
    name,
    path,
    method = 'GET',
    headers = { origin: ORIGIN },
    origin = ORIGIN,
    status,
    empty = false,
  } of CASES) {
    it(`lets pages use media: ${name}`, async () => {
      const answer = await fetch(fixture.url(path), { method, headers })
      expect(answer.status).to.equal(status)
      expect(Object.fromEntries(answer.headers)).to.include({ ...MEDIA, 'access-control-allow-origin': origin })
      expect((await answer.text()) === '').to.equal(empty)
    })
  }

  const READING = [
    { name: 'a route of administration', path: '/api/a', status: 200 },
    { name: 'an error', path: '/api/throw', status: 500 },
    { name: 'a preflight', path: '/api/a', method: 'OPTIONS', headers: PREFLIGHT, status: 200 },
    { name: 'a route of the core', path: '/core', status: 200 },
    { name: 'a guarded route of a plugin', path: '/open/guarded', status: 200 },
  ]
  for (const { name, path, method = 'GET', headers = { origin: ORIGIN }, status } of READING) {
    it(`lets pages read what is no media, with tokens of theirs but never with credentials of the browser: ${name}`, async () => {
      const answer = await fetch(fixture.url(path), { method, headers })
      expect(answer.status).to.equal(status)
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
      expect(answer.headers.has('access-control-allow-credentials')).to.equal(false)
      expect(answer.headers.get('access-control-allow-headers')).to.equal(ALLOWED)
      expect(answer.headers.get('access-control-expose-headers')).to.equal(
        `${EXPOSED}, New-Token, Grpc-Metadata-New-Token`,
      )
    })
  }

  it('is off where the section says so', async () => {
    for (const [path, method, status] of [
      ['/closed/a', 'GET', 200],
      ['/closed/a', 'OPTIONS', 405],
      ['/closed/hijacked', 'GET', 200],
    ] as const) {
      const answer = await fetch(fixture.url(path), { method, headers: PREFLIGHT })
      expect(answer.status).to.equal(status)
      expect([...answer.headers.keys()].filter((name) => /^access-control|^cross-origin/.test(name))).to.deep.equal([])
    }
  })
})
