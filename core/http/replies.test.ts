import { expect } from 'chai'
import { InvalidRequest, SluiceError, StreamDenied, StreamNotFound } from 'sluice/sdk'
import { failure } from 'sluice/sdk/host'
import { HttpFixture } from './testing/http-fixture.ts'

const THROWN = [
  { name: 'any error', error: new Error('disk /secret/path is full'), status: 500, code: 2, message: 'internal error' },
  { name: 'no error at all', error: null, status: 500, code: 2, message: 'internal error' },
  { name: 'a named error', error: new SluiceError('NO_DB', 500, 'no db'), status: 500, code: 2, message: 'no db' },
  { name: 'StreamNotFound', error: new StreamNotFound(), status: 404, code: 5, message: 'not found' },
  {
    name: 'StreamDenied',
    error: new StreamDenied(new Error('wrong key')),
    status: 401,
    code: 16,
    message: 'unauthorized',
  },
  { name: 'InvalidRequest', error: new InvalidRequest('no path'), status: 400, code: 3, message: 'no path' },
  {
    name: 'a status',
    error: Object.assign(new Error('gone'), { statusCode: 410 }),
    status: 410,
    code: 3,
    message: 'gone',
  },
  {
    name: 'a 5xx status',
    error: Object.assign(new Error('inner'), { statusCode: 502 }),
    status: 502,
    code: 2,
    message: 'internal error',
  },
]

const MAX_BODY_BYTES = 1000
const REQUESTS = [
  { method: 'GET', path: '/api/nothing', status: 404, code: 5 },
  { method: 'GET', path: '/api', status: 404, code: 5 },
  { method: 'GET', path: '/api/files/none', status: 404, code: 5 },
  { method: 'DELETE', path: '/api/item/1', status: 405, code: 12, allow: 'GET, HEAD' },
  { method: 'GET', path: '/api/echo?x=1', status: 405, code: 12, allow: 'POST' },
  { method: 'GET', path: '/api/item/none', status: 400, code: 3 },
  { method: 'POST', path: '/api/echo', body: '{', status: 400, code: 3 },
  { method: 'POST', path: '/api/echo', body: `"${'x'.repeat(MAX_BODY_BYTES)}"`, status: 413, code: 3 },
  { method: 'GET', path: '/x/nothing', status: 404, code: 5 },
  { method: 'PUT', path: '/x/a', status: 405, code: 12, allow: 'GET, HEAD' },
]

describe('HTTP errors', () => {
  let fixture: HttpFixture

  beforeEach(async () => {
    fixture = new HttpFixture({ maxBodyBytes: MAX_BODY_BYTES })
    const { admin } = fixture.host
    const params = { type: 'object', properties: { id: { type: 'integer' } } }
    admin.get('/api/item/:id', { schema: { params } }, ({ params }) => params)
    admin.get('/api/files/*', (_request, reply) => reply.callNotFound())
    admin.post('/api/echo', ({ body }) => ({ body }))
    admin.get<{ Params: { index: number } }>('/api/throw/:index', async ({ params }) => {
      throw THROWN[params.index]?.error
    })
    const plugin = await fixture.plugin('x')
    plugin.instance.get('/a', () => 'a')
    await plugin.activate()
    await fixture.host.start()
  })

  afterEach(() => fixture.close())

  for (const { method, path, status, code, allow, body } of REQUESTS) {
    it(`answers ${status} to ${method} ${path}`, async () => {
      const init = body === undefined ? { method } : { method, body, headers: { 'content-type': 'application/json' } }
      const answer = await fetch(fixture.url(path), init)
      expect(answer.status).to.equal(status)
      expect(answer.headers.get('allow')).to.equal(allow ?? null)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
      const json = (await answer.json()) as Record<string, unknown>
      expect(json).to.have.all.keys('code', 'message', 'details').and.deep.include({ code, details: [] })
    })
  }

  THROWN.forEach(({ name, status, code, message }, index) => {
    it(`answers ${status} when a handler throws ${name}`, async () => {
      const answer = await fetch(fixture.url(`/api/throw/${index}?secret=hidden`))
      expect(answer.status).to.equal(status)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
      expect(await answer.json()).to.deep.equal({ code, message, details: [] })
      const logged = fixture.lines.some(({ level, msg }) => level === 'error' && msg === 'request failed')
      expect(logged).to.equal(message === 'internal error')
      expect(JSON.stringify(fixture.lines)).not.to.contain('hidden')
    })
  })

  it('takes a JSON request without a body', async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(fixture.url('/api/echo'), { method: 'POST', headers })
    expect(await answer.json()).to.deep.equal({})
  })

  it('have the code for a bad request where there is no other', () => {
    expect(failure(418, 'x')).to.deep.equal({ code: 3, message: 'x', details: [] })
  })
})
