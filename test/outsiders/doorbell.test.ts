import { once } from 'node:events'
import { expect } from 'chai'
import { createTestServer, type TestServer } from 'sluice/testing'
import { WebSocket } from 'ws'
import { keep } from '../peers/lifetime.ts'
import doorbell from './doorbell.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const ELSEWHERE = { 'x-forwarded-for': '203.0.113.7' }
const FOREIGN_PAGE = { origin: 'https://page.example' }
const BELL = {
  streamPath: 'live/a',
  label: 'Front',
  rungCount: '0',
  isMuted: false,
  volume: 0,
  visitors: [],
  lastRing: null,
}

type Asked = { readonly status: number; readonly body: unknown }

describe("an outsider's doorbell", () => {
  let server: TestServer<unknown>

  beforeEach(async () => {
    const started = await createTestServer(doorbell)
    keep({ close: () => started.stop() })
    server = started
  })

  async function ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Asked> {
    const init =
      body === undefined
        ? { method, headers }
        : { method, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }
    const response = await fetch(server.origin + path, init)
    const text = await response.text()
    return { status: response.status, body: text === '' ? '' : (JSON.parse(text) as unknown) }
  }

  const hang = (path = 'live/a') => ask('POST', `/doorbell/api/hang/${path}`, { doorLabel: 'Front' })

  /** The status that an upgrade is refused with, or the first message and the client. */
  async function watch(path: string, headers: Record<string, string> = {}) {
    const client = new WebSocket(server.origin.replace('http', 'ws') + path, { headers })
    return new Promise<{ readonly status?: number; readonly client: WebSocket; readonly greeting?: string }>(
      (resolve, reject) => {
        client.once('message', (data: Buffer) => resolve({ client, greeting: data.toString() }))
        client.once('unexpected-response', (_request, { statusCode = 0 }) => resolve({ client, status: statusCode }))
        client.once('error', reject)
      },
    )
  }

  const done = { code: 0, message: 'success' }

  describe('is asked', () => {
    const spellings: readonly (readonly [method: string, path: string, body: unknown])[] = [
      ['POST', '/doorbell/api/hang/live/a', { doorLabel: 'Front' }],
      ['POST', '/bell/api/hang/live/a', { door_label: 'Front', color: 'red', rung_count: null }],
      ['POST', '/doorbell/api/hang//live/a/', { doorLabel: 'Front', door_label: 'Back' }],
      ['POST', '/doorbell/api/hang/live%2Fa', { doorLabel: 'Front', rungCount: '0' }],
      ['PUT', '/doorbell/api/bells/live/a', { doorLabel: 'Front', rungCount: 0 }],
      ['POST', '/api/doorbell/hang/live/a', { doorLabel: 'Front' }],
      ['GET', '/doorbell/api/hang/live/a?door_label=Front&rungCount=', undefined],
    ]
    for (const [method, path, body] of spellings) {
      it(`by ${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
        expect(await ask(method, path, body)).to.eql({ status: 200, body: { ...done, data: BELL } })
      })
    }

    it('by HEAD, which is answered without a body', async () => {
      await hang()
      const [head, get] = [
        await ask('HEAD', '/doorbell/api/bells/live/a'),
        await ask('GET', '/doorbell/api/bells/live/a'),
      ]
      expect([head, get]).to.eql([
        { status: 200, body: '' },
        { status: 200, body: { ...done, data: BELL } },
      ])
    })

    it('as curl -d does', async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      expect(await ask('POST', '/doorbell/api/hang/live/a', { doorLabel: 'Front' }, headers)).to.include({
        status: 200,
      })
    })

    it('with numbers that are longer than 32 bits', async () => {
      const long = { doorLabel: 'Front', rungCount: '9007199254740991' }
      const { body } = await ask('POST', '/doorbell/api/hang/live/a', long)
      expect(body).to.have.nested.property('data.rungCount', '9007199254740991')
    })

    it('for a page of its list, and for some of it by a parameter that is repeated', async () => {
      for (const name of ['a', 'b', 'c']) await ask('POST', `/bell/api/hang/live/${name}`, { doorLabel: `D${name}` })
      const list = async (query: string) => {
        const { data, ...rest } = (await ask('GET', `/bell/api/bells?${query}`)).body as { data: { label: string }[] }
        return { labels: data.map(({ label }) => label).join(' '), ...rest }
      }
      expect(await list('')).to.eql({ ...done, labels: 'Da Db Dc', total: 3, pageNum: 1, pageSize: 3 })
      expect(await list('page_num=2&pageSize=2')).to.eql({ ...done, labels: 'Dc', total: 3, pageNum: 2, pageSize: 2 })
      expect(await list('door_label=Dc&door_label=Da')).to.include({ labels: 'Da Dc', total: 2 })
      expect(await list('doorLabel=Db')).to.include({ labels: 'Db', total: 1 })
    })

    it('with a body that is a list, and answers with fields beside the code, its errors too', async () => {
      await hang()
      const ring = (path: string, body: unknown) => ask('POST', `/bell/api/ring/${path}`, body)
      expect(await ring('live/a', ['Ann'])).to.eql({ status: 200, body: { ...done, rungCount: '1', heardBy: 0 } })
      const failed = (code: number, message: string) => ({
        status: 200,
        body: { code, message, rungCount: '0', heardBy: 0 },
      })
      expect(await ring('live/none', ['Ann'])).to.eql(failed(404, 'there is no such bell'))
      expect(server.problems).to.eql([])
      expect(await ring('live/a', ['burglar'])).to.eql(failed(500, 'internal error'))
      expect(server.problems.map(({ msg }) => msg)).to.eql(['request failed'])
      const { body } = await ask('GET', '/bell/api/bells/live/a')
      expect(body).to.have.deep.nested.property('data.lastRing', { by: 'Ann', user: 'anonymous' })
    })

    it('for a bare answer', async () => {
      await hang()
      expect((await ask('GET', '/bell/api/volume')).body).to.eql({ volume: 0.5, bells: { 'live/a': 1 } })
    })
  })

  describe('refuses', () => {
    const refusals: readonly (readonly [
      method: string,
      path: string,
      body: unknown,
      status: number,
      code: number,
      message: RegExp,
    ])[] = [
      ['POST', '/bell/api/hang/live/a', {}, 400, 3, /^doorLabel is missing$/u],
      ['POST', '/bell/api/hang/live/a', undefined, 400, 3, /^doorLabel is missing$/u],
      ['POST', '/bell/api/hang/live/a', { doorLabel: '' }, 400, 3, /^doorLabel must NOT have fewer/u],
      [
        'POST',
        '/bell/api/hang/live/a',
        { doorLabel: 'x', rungCount: 'many' },
        400,
        3,
        /^rungCount must be an integer$/u,
      ],
      ['POST', '/bell/api/hang/live/a', ['x'], 400, 3, /^the body must be an object$/u],
      ['POST', '/bell/api/hang/live/a*', { doorLabel: 'x' }, 400, 3, /stream path/u],
      ['POST', '/bell/api/hang/', { doorLabel: 'x' }, 400, 3, /^streamPath is missing$/u],
      ['POST', '/bell/api/ring/live/a', { by: 'Ann' }, 400, 3, /^the body must be an array$/u],
      ['POST', '/bell/api/ring/live/a?is_loud=very', [], 400, 3, /^isLoud must be a boolean$/u],
      ['GET', '/bell/api/bells?pageNum=1&pageNum=2', undefined, 400, 3, /^pageNum is given more than once$/u],
      ['GET', '/bell/api/bells/live/none', undefined, 404, 5, /^there is no such bell$/u],
      ['GET', '/bell/api/none', undefined, 404, 5, /^not found$/u],
      ['GET', '/api/doorbell/none', undefined, 404, 5, /^not found$/u],
      ['DELETE', '/bell/api/volume', undefined, 405, 12, /^method not allowed$/u],
      ['DELETE', '/api/doorbell/hang/live/a', undefined, 405, 12, /^method not allowed$/u],
    ]
    for (const [method, path, body, status, code, message] of refusals) {
      it(`${method} ${path} ${JSON.stringify(body) ?? ''}`, async () => {
        const answer = await ask(method, path, body)
        expect(answer.status).to.equal(status)
        expect(answer.body).to.have.all.keys('code', 'message', 'details').and.deep.include({ code, details: [] })
        expect((answer.body as { message: string }).message).to.match(message)
      })
    }
  })

  for (const reloaded of [false, true]) {
    describe(`is guarded${reloaded ? ', also after a reload' : ''}`, () => {
      beforeEach(async () => {
        await hang()
        if (reloaded) await server.replace()
      })

      const requests: readonly (readonly [
        method: string,
        path: string,
        body: unknown,
        elsewhere: number,
        foreign: number,
      ])[] = [
        ['GET', '/bell/api/bells', undefined, 401, 200],
        ['GET', '/bell/api/hang/live/a?doorLabel=x', undefined, 401, 403],
        ['POST', '/bell/api/hang/live/a', { doorLabel: 'x' }, 401, 403],
        ['POST', '/api/doorbell/hang/live/a', { doorLabel: 'x' }, 401, 403],
        ['POST', '/bell/api/ring/live/a', [], 401, 403],
        ['POST', '/bell/api/photo', 'jpeg', 200, 200],
      ]
      for (const [method, path, body, elsewhere, foreign] of requests) {
        it(`${method} ${path}`, async () => {
          const statuses = []
          for (const headers of [{}, ELSEWHERE, FOREIGN_PAGE])
            statuses.push((await ask(method, path, body, headers)).status)
          expect(statuses).to.eql([200, elsewhere, foreign])
        })
      }

      it('in its routes that are not said to be public', async () => {
        const status = async (path: string) => (await fetch(server.origin + path, { headers: ELSEWHERE })).status
        expect([await status('/bell/guarded'), await status('/bell/sign')]).to.eql([401, 200])
        expect(await (await fetch(`${server.origin}/bell/guarded`)).text()).to.equal('inside')
      })

      it('in its WebSocket, which is open from this machine', async () => {
        const path = '/doorbell/api/watch/live/a?from_count=3'
        expect(await watch(path, ELSEWHERE)).to.include({ status: 401 })
        expect(await watch(path, FOREIGN_PAGE)).to.include({ status: 403 })
        expect(await watch('/doorbell/api/watch/live/a?fromCount=x')).to.include({ status: 400 })
        expect(await watch('/doorbell/api/watch/live/none')).to.include({ status: 404 })
        const { client, greeting } = await watch(path)
        expect(greeting).to.equal('anonymous hears Front from 3')
        const heard = once(client, 'message')
        await ask('POST', '/bell/api/ring/live/a?isLoud=true', ['Ann'])
        expect(String((await heard)[0])).to.equal('RING')
        client.terminate()
      })
    })
  }

  it('lets a WebSocket go on when the plugin is replaced, and gives new ones to the next generation', async () => {
    await hang()
    const { client } = await watch('/bell/api/watch/live/a')
    await server.replace()
    const next = await watch('/bell/api/watch/live/a')
    const heard = once(next.client, 'message')
    expect((await ask('POST', '/bell/api/ring/live/a', [])).body).to.include({ heardBy: 1 })
    await heard
    expect(client.readyState).to.equal(WebSocket.OPEN)
    client.terminate()
    next.client.terminate()
  })

  it('is described', async () => {
    const { paths } = (await ask('GET', '/api/openapi.json')).body as { paths: Record<string, Record<string, object>> }
    expect(Object.keys(paths)).to.include.members([
      '/doorbell/api/bells',
      '/bell/api/bells',
      '/api/doorbell/hang/{streamPath}',
    ])
    expect(paths['/bell/api/ring/{streamPath}']?.['post']).to.include({ summary: 'Ring it', 'x-access': 'admin' })
    expect(paths['/bell/api/hang/{streamPath}']?.['get']).to.include({ deprecated: true, 'x-reach': 'stream' })
  })
})
