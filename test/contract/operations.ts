import { expect } from 'chai'
import { Int64, SluiceError, StreamPath, Type, type OperationRegistry } from 'sluice/sdk'
import { upgrade } from './connections.ts'
import type { StartContractHost } from './contract-host.ts'

const STREAM = Type.Object({ streamPath: StreamPath() })

const Track = Type.Object({ codec: Type.String(), bytes: Int64() })

const Answer = Type.Object({
  text: Type.String(),
  count: Type.Integer(),
  isOn: Type.Boolean(),
  tracks: Type.Array(Track),
  labels: Type.Record(Type.String(), Type.String()),
  best: Type.Union([Track, Type.Null()]),
  note: Type.Optional(Type.String()),
})

type Asked = { readonly status: number; readonly body: unknown }

export function describeOperations(start: StartContractHost): void {
  describe('operations', () => {
    async function startWith(add: (operations: OperationRegistry) => void) {
      const host = await start(({ operations }) => add(operations))
      return async (path: string, method = 'GET', body?: unknown): Promise<Asked> => {
        const init =
          body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
        const response = await fetch(host.origin + path, { method, ...init })
        return { status: response.status, body: await response.json() }
      }
    }

    const done = (data: unknown) => ({ status: 200, body: { code: 0, message: 'success', data } })
    const refused = (status: number, code: number, message: string) => ({
      status,
      body: { code, message, details: [] },
    })

    it('are below the mounts or at absolute paths, by all their spellings', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'POST',
          path: 'api/echo/{id}',
          aliases: ['PUT echo/{id}', '/api/contract/echo/{id}'],
          summary: 'Echo',
          params: Type.Object({ id: Type.Integer() }),
          answer: Type.Object({ id: Type.Integer() }),
          handle: ({ params }) => params,
        }),
      )
      expect(await ask('/contract/api/echo/7', 'POST')).to.eql(done({ id: 7 }))
      expect(await ask('/c/api/echo/7', 'POST')).to.eql(done({ id: 7 }))
      expect(await ask('/c/echo/7', 'PUT')).to.eql(done({ id: 7 }))
      expect(await ask('/api/contract/echo/7', 'POST')).to.eql(done({ id: 7 }))
      for (const path of ['/api/echo/7', '/echo/7', '/c/api/contract/echo/7', '/c/api/echo/7/8']) {
        expect((await ask(path, 'POST')).status, path).to.equal(404)
      }
    })

    it('are below one of the mounts alone, where their absolute paths say so', async () => {
      const ask = await startWith((operations) => {
        for (const path of ['/c/api/list', '/contract/api/list']) {
          operations.add({ method: 'GET', path, summary: path, answer: Type.String(), handle: () => path })
        }
        operations.add({
          method: 'GET',
          path: 'api/{id}',
          summary: 'All',
          params: Type.Object({ id: Type.String() }),
          handle() {},
        })
      })
      expect(await ask('/c/api/list?a=b')).to.eql(done('/c/api/list'))
      expect(await ask('/contract/api/list')).to.eql(done('/contract/api/list'))
      expect((await ask('/c/api/other')).body).to.eql({ code: 0, message: 'success' })
      for (const path of ['/c/c/api/list', '/api/list']) expect((await ask(path)).status, path).to.equal(404)
    })

    it('read names in both spellings, and nothing that no schema names', async () => {
      const Inner = Type.Object({ innerName: Type.String({ default: 'none' }) })
      const Whole = Type.Object({ someName: Type.String(), count: Int64(), list: Type.Array(Inner), inner: Inner })
      const ask = await startWith((operations) =>
        operations.add({
          method: 'POST',
          path: 'read',
          summary: 'Read',
          query: Type.Object({
            isOn: Type.Boolean({ default: false }),
            words: Type.Optional(Type.Array(Type.String())),
          }),
          body: Whole,
          answer: Type.Object({ query: Type.Unknown(), body: Type.Unknown() }),
          handle: ({ query, body }) => ({ query, body }),
        }),
      )
      const body = { some_name: 'a', count: '5', list: [{ inner_name: 'b', more: 1 }, {}], inner: {}, extra: 1 }
      const read = {
        someName: 'a',
        count: 5,
        list: [{ innerName: 'b' }, { innerName: 'none' }],
        inner: { innerName: 'none' },
      }
      const answer = await ask('/c/read?is_on=true&words=x&words=y&none=1', 'POST', body)
      expect(answer).to.eql(done({ query: { isOn: true, words: ['x', 'y'] }, body: read }))
      const camel = { someName: 'a', count: 5, list: [], inner: { innerName: 'c' } }
      expect(await ask('/c/read?words=x&isOn=', 'POST', camel)).to.eql(
        done({ query: { isOn: false, words: ['x'] }, body: camel }),
      )
      expect(await ask('/c/read', 'POST', { ...camel, some_name: null, someName: undefined })).to.eql(
        refused(400, 3, 'someName is missing'),
      )
      expect(await ask('/c/read?isOn=maybe', 'POST', camel)).to.eql(refused(400, 3, 'isOn must be a boolean'))
      expect(await ask('/c/read', 'POST', { ...camel, list: [{ innerName: {} }] })).to.eql(
        refused(400, 3, 'list.0.innerName must be a string'),
      )
    })

    it('say in one sentence what a value must be', async () => {
      const kinds = Type.Union([Type.Literal('a'), Type.Literal('b')])
      const query = Type.Object({
        count: Type.Optional(Type.Integer({ minimum: 1 })),
        only: Type.Optional(Type.Literal('x')),
        kind: Type.Optional(kinds),
      })
      const ask = await startWith((operations) =>
        operations.add({ method: 'GET', path: 'say', summary: 'Say', query, handle: () => {} }),
      )
      for (const [asked, message] of [
        ['count=many', 'count must be an integer'],
        ['count=0', 'count must be >= 1'],
        ['only=y', 'only must be x'],
        ['kind=c', 'kind must be a or b'],
      ] as const) {
        expect(await ask(`/c/say?${asked}`)).to.eql(refused(400, 3, message))
      }
    })

    it('check stream paths, which take the rest of a path', async () => {
      const ask = await startWith((operations) => {
        const answer = Type.Object({ streamPath: Type.String() })
        const handle = ({ params }: { params: { streamPath?: string } }) => params
        operations.add({ method: 'GET', path: 'at/{streamPath}', summary: 'At', params: STREAM, answer, handle })
        const params = Type.Object({ streamPath: Type.Optional(StreamPath()) })
        operations.add({
          method: 'GET',
          path: 'all/{streamPath}',
          aliases: ['all'],
          summary: 'All',
          params,
          answer,
          handle,
        })
        operations.add({ method: 'GET', path: 'one/{streamPath}/now', summary: 'One', params: STREAM, answer, handle })
      })
      for (const path of ['at/live/a', 'at//live/a/', 'at/live%2Fa', 'all/live/a', 'one/live%2Fa/now']) {
        expect(await ask(`/c/${path}`), path).to.eql(done({ streamPath: 'live/a' }))
      }
      expect(await ask('/c/at/live/50%2525')).to.eql(done({ streamPath: 'live/50%25' }))
      for (const path of ['all', 'all/']) expect(await ask(`/c/${path}`), path).to.eql(done({ streamPath: '' }))
      expect(await ask('/c/at/')).to.eql(refused(400, 3, 'streamPath is missing'))
      expect(await ask('/c/at/live/a%3Fb')).to.eql(
        refused(400, 3, 'the stream path has a character that is not allowed'),
      )
    })

    it('answer all fields of the schema and no others', async () => {
      const full = { codec: 'h264', bytes: 2 ** 40 }
      const ask = await startWith((operations) => {
        const answers = {
          unset: {},
          set: { text: 'x', tracks: [full], best: full, labels: { a: 'b' }, note: 'n', secret: 1 },
        }
        for (const [path, answer] of Object.entries(answers)) {
          operations.add({ method: 'GET', path, summary: path, answer: Answer, handle: () => answer })
        }
      })
      const unset = { text: '', count: 0, isOn: false, tracks: [], labels: {}, best: null }
      const wire = { codec: 'h264', bytes: '1099511627776' }
      expect(await ask('/c/unset')).to.eql(done(unset))
      expect(await ask('/c/set')).to.eql(
        done({ ...unset, text: 'x', tracks: [wire], best: wire, labels: { a: 'b' }, note: 'n' }),
      )
    })

    it('answer in the envelope, beside the code, or bare; a page, or in one what every process has', async () => {
      const ask = await startWith((operations) => {
        const answer = Type.Object({ count: Type.Integer() })
        const handle = () => ({ count: 1 })
        operations.add({ method: 'GET', path: 'nothing', summary: 'Nothing', handle() {} })
        operations.add({ method: 'GET', path: 'fields', summary: 'Fields', answer, wire: 'fields', handle })
        operations.add({ method: 'GET', path: 'bare', summary: 'Bare', answer, wire: 'bare', handle })
        operations.add({
          method: 'GET',
          path: 'word',
          summary: 'Word',
          answer: Type.String(),
          wire: 'bare',
          handle: () => 'x',
        })
        const list = Type.Array(Type.Integer())
        operations.add({
          method: 'GET',
          path: 'list',
          summary: 'List',
          answer: list,
          paged: true,
          handle: () => [1, 2, 3],
        })
        const all = (lists: readonly (readonly number[])[]) => lists.flat().toReversed()
        operations.add({
          method: 'GET',
          path: 'all',
          summary: 'All',
          answer: list,
          reach: { all },
          handle: () => [1, 2],
        })
      })
      const success = { code: 0, message: 'success' }
      expect(await ask('/c/nothing')).to.eql({ status: 200, body: success })
      expect(await ask('/c/fields')).to.eql({ status: 200, body: { ...success, count: 1 } })
      expect(await ask('/c/bare')).to.eql({ status: 200, body: { count: 1 } })
      expect(await ask('/c/word')).to.eql({ status: 200, body: 'x' })
      expect(await ask('/c/list?page_num=2&pageSize=2')).to.eql({
        status: 200,
        body: { ...success, data: [3], total: 3, pageNum: 2, pageSize: 2 },
      })
      expect(await ask('/c/all')).to.eql(done([2, 1]))
    })

    it('answer errors by their status, or in a 200; what nobody foresaw tells no more than that', async () => {
      const fail = ({ query: { how } }: { query: { how?: string } }) => {
        throw how === 'named' ? new SluiceError('NO_CREDIT', 402, 'no credit left') : new Error('the key is 4711')
      }
      const ask = await startWith((operations) => {
        const query = Type.Object({ how: Type.Optional(Type.String()) })
        const common = { method: 'POST', query, answer: Type.Array(Type.String()), handle: fail } as const
        operations.add({ ...common, path: 'status', summary: 'By status' })
        operations.add({ ...common, path: 'band', summary: 'In band', errors: 'in-band' })
      })
      expect(await ask('/c/status?how=named', 'POST')).to.eql(refused(402, 3, 'no credit left'))
      expect(await ask('/c/status', 'POST')).to.eql(refused(500, 2, 'internal error'))
      const inBand = (code: number, message: string) => ({ status: 200, body: { code, message, data: [] } })
      expect(await ask('/c/band?how=named', 'POST')).to.eql(inBand(402, 'no credit left'))
      expect(await ask('/c/band', 'POST')).to.eql(inBand(500, 'internal error'))
    })

    it('tell the handler who asks, and when the client leaves', async () => {
      let told = ''
      const { promise: left, resolve } = Promise.withResolvers<void>()
      const { promise: asked, resolve: setAsked } = Promise.withResolvers<void>()
      const host = await start(({ operations }) =>
        operations.add({
          method: 'GET',
          path: 'wait',
          summary: 'Wait',
          async handle({ user, signal }) {
            told = user
            signal.addEventListener('abort', () => resolve())
            setAsked()
            await left
          },
        }),
      )
      const leaving = new AbortController()
      const answer = fetch(`${host.origin}/c/wait`, { signal: leaving.signal }).catch(() => 'left')
      await asked
      leaving.abort()
      await left
      expect([told, await answer]).to.eql(['anonymous', 'left'])
    })

    it('have WebSockets, which are opened with their parameters read', async () => {
      const host = await start(({ operations }) =>
        operations.socket({
          path: 'talk/{streamPath}',
          summary: 'Talk',
          params: STREAM,
          query: Type.Object({ channelId: Type.Integer() }),
          async open({ params, query, user, socket }) {
            await Promise.resolve()
            if (query.channelId === 0) throw new SluiceError('BUSY_CHANNEL', 409, 'busy')
            socket.end(`${user} talks to ${params.streamPath} on ${query.channelId}`)
          },
        }),
      )
      const talk = (target: string) => upgrade(host.origin, target)
      expect(await talk('/c/talk/live/a?channel_id=5')).to.equal('anonymous talks to live/a on 5')
      for (const [target, status] of [
        ['/c/talk/live/a', 400],
        ['/c/talk/live/a?channelId=x', 400],
        ['/c/talk/live/a?channelId=0', 409],
        ['/c/none', 404],
      ] as const) {
        expect(await talk(target), target).to.match(new RegExp(`^HTTP/1.1 ${status} `, 'u'))
      }
    })
  })
}
