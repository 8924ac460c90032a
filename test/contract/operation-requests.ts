import { expect } from 'chai'
import { Int64, Type, type OperationRegistry } from 'sluice/sdk'
import type { StartContractHost } from './contract-host.ts'

/** What of a request an operation reads (api.md 1). */
export function describeOperationRequests(start: StartContractHost): void {
  describe('requests for operations', () => {
    async function startWith(add: (operations: OperationRegistry) => void) {
      const host = await start(({ operations }) => add(operations))
      return async (path: string, { method = 'POST', ...init }: RequestInit = {}) => {
        const response = await fetch(`${host.origin}/c/${path}`, { method, ...init })
        const { data, message } = (await response.json()) as { readonly data?: unknown; readonly message: string }
        return response.status === 200 ? data : [response.status, message]
      }
    }

    /** An operation that answers its body. */
    function addEcho(operations: OperationRegistry): void {
      operations.add({
        method: 'POST',
        path: 'echo',
        summary: 'Echo',
        body: Type.Object({ text: Type.String({ default: 'none' }) }),
        answer: Type.String(),
        handle: ({ body: { text } }) => text,
      })
    }

    const JSON_TEXT = '{"text":"a"}'
    for (const type of ['application/json', 'text/plain;charset=UTF-8', 'application/x-www-form-urlencoded']) {
      it(`may have JSON that is called ${type}`, async () => {
        const ask = await startWith(addEcho)
        expect(await ask('echo', { body: JSON_TEXT, headers: { 'content-type': type } })).to.equal('a')
      })
    }

    it('may have JSON that is called nothing', async () => {
      const ask = await startWith(addEcho)
      // A body of bytes has no type of its own.
      expect(await ask('echo', { body: new TextEncoder().encode(JSON_TEXT) })).to.equal('a')
    })

    it('may have no body', async () => {
      const ask = await startWith(addEcho)
      expect(await ask('echo')).to.equal('none')
      expect(await ask('echo', { headers: { 'content-type': 'application/json' } })).to.equal('none')
    })

    it('have no body of another type, and no JSON that is none', async () => {
      const ask = await startWith(addEcho)
      const [status] = (await ask('echo', { body: '<a/>', headers: { 'content-type': 'text/xml' } })) as [number]
      expect(status).to.equal(415)
      for (const body of ['{"text":', '{"__proto__":{"a":1}}', '"a"', '[]']) {
        expect(((await ask('echo', { body })) as [number])[0], body).to.equal(400)
      }
    })

    it('may have any body where none is wanted', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'POST',
          path: 'go',
          summary: 'Go',
          answer: Type.String(),
          handle: () => 'gone',
        }),
      )
      expect(await ask('go')).to.equal('gone')
      for (const type of ['application/json', 'text/xml']) {
        for (const body of ['{}', '<not json>']) {
          expect(await ask('go', { body, headers: { 'content-type': type } }), type).to.equal('gone')
        }
      }
    })

    it('may have a text or a list for a body, and all else in the query', async () => {
      const ask = await startWith((operations) => {
        const common = { method: 'POST', query: Type.Object({ kind: Type.String() }), answer: Type.String() } as const
        operations.add({
          ...common,
          path: 'text',
          summary: 'Text',
          body: Type.String(),
          handle: ({ query, body }) => `${query.kind} ${body}`,
        })
        operations.add({
          ...common,
          path: 'list',
          summary: 'List',
          body: Type.Array(Type.Object({ someId: Type.Integer() })),
          handle: ({ query, body }) => `${query.kind} ${body.map(({ someId }) => someId).join(' ')}`,
        })
        operations.add({
          method: 'POST',
          path: 'either',
          summary: 'Either',
          answer: Type.String(),
          body: Type.Union([Type.Object({ url: Type.String() }), Type.String()]),
          handle: ({ body }) => (typeof body === 'string' ? body : body.url),
        })
      })
      const json = { 'content-type': 'application/json' }
      const plain = { 'content-type': 'text/plain' }
      expect(await ask('text?kind=x', { body: '"a: 1\\n"', headers: json })).to.equal('x a: 1\n')
      expect(await ask('text?kind=x', { body: 'a: "1"\n', headers: plain })).to.equal('x a: "1"\n')
      expect(await ask('either', { body: '{"url":"a"}', headers: json })).to.equal('a')
      expect(await ask('either', { body: '"a"', headers: json })).to.equal('a')
      expect(await ask('either', { body: 'a', headers: plain })).to.equal('a')
      expect(await ask('text?kind=x')).to.eql([400, 'body is missing'])
      expect(await ask('list?kind=x', { body: '[{"someId":1},{"some_id":2}]' })).to.equal('x 1 2')
      expect(await ask('list?kind=x', { body: '{}' })).to.eql([400, 'the body must be an array'])
    })

    it('mean what the path says, whatever the body says', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'POST',
          path: 'at/{itemId}',
          aliases: ['GET at/{itemId}'],
          summary: 'At',
          params: Type.Object({ itemId: Type.Integer() }),
          body: Type.Object({
            itemId: Type.Optional(Type.Integer()),
            name: Type.Optional(Type.String()),
          }),
          answer: Type.Unknown(),
          handle: ({ params, body }) => ({
            params,
            body,
          }),
        }),
      )
      const read = { params: { itemId: 7 }, body: { itemId: 7, name: 'a' } }
      for (const body of ['{"itemId":8,"name":"a"}', '{"item_id":"8","name":"a"}', '{"name":"a"}']) {
        expect(await ask('at/7', { body }), body).to.eql(read)
      }
      expect(await ask('at/7?itemId=8&name=a', { method: 'GET' })).to.eql(read)
    })

    it('have long integers as strings and as numbers, which are refused where a double is not exact', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'POST',
          path: 'count',
          summary: 'Count',
          body: Type.Object({ byteCount: Int64() }),
          answer: Int64(),
          handle: ({ body: { byteCount } }) => byteCount,
        }),
      )
      const { MAX_SAFE_INTEGER: max } = Number
      for (const count of ['0', '-5', `${max}`, `-${max}`]) {
        for (const text of [count, `"${count}"`]) {
          expect(await ask('count', { body: `{"byteCount":${text}}` }), text).to.equal(count)
        }
      }
      for (const text of ['9007199254740993', '"9007199254740993"', '-9007199254740993', '1.5', '"1.5"', '""', '{}']) {
        const [status, message] = (await ask('count', { body: `{"byteCount":${text}}` })) as [number, string]
        expect(status, text).to.equal(400)
        expect(message, text).to.match(/^byteCount must be /u)
      }
    })

    it('may nest lists and objects, but not without end', async () => {
      const ask = await startWith(addEcho)
      const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
      // The body itself is one.
      expect(await ask('echo', { body: `{"other":${nested(63)}}` })).to.equal('none')
      expect(await ask('echo', { body: `{"text":${nested(63)}}` })).to.eql([400, 'text must be a string'])
      for (const depth of [64, 100_000]) {
        for (const field of ['text', 'other']) {
          const body = `{"${field}":${nested(depth)}}`
          expect(await ask('echo', { body })).to.eql([400, 'the body is nested too deeply'])
        }
      }
    })

    it('are refused for addresses that are none', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'GET',
          path: 'at/{name}',
          summary: 'At',
          params: Type.Object({ name: Type.String() }),
          answer: Type.String(),
          handle: ({ params: { name } }) => name,
        }),
      )
      expect(await ask('at/a%2Fb%20c', { method: 'GET' })).to.equal('a/b c')
      expect(((await ask('at/a/b', { method: 'GET' })) as [number])[0]).to.equal(404)
      expect(((await ask('at/%zz', { method: 'GET' })) as [number])[0]).to.equal(400)
    })
  })
}
