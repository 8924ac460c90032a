import { expect } from 'chai'
import { Bytes, Int64, SluiceError, Type, type OperationRegistry } from 'sluice/sdk'
import type { StartContractHost } from './contract-host.ts'

const COUNT = Type.Object({ count: Int64(), note: Type.Optional(Type.String()) })

/** How answers go out besides the envelope. */
export function describeOperationWires(start: StartContractHost): void {
  async function startWith(add: (operations: OperationRegistry) => void) {
    const host = await start(({ operations }) => add(operations))
    return (path: string, init: RequestInit = {}) => fetch(`${host.origin}/c/${path}`, init)
  }

  describe('answers of operations', () => {
    it('go out as they are where they have a type of their own', async () => {
      const ask = await startWith((operations) => {
        const common = { method: 'GET', summary: 'As it is' } as const
        const text = { contentType: 'text/yaml; charset=utf-8', answer: Type.String(), handle: () => 'a: ü\n' }
        operations.add({ ...common, path: 'text', ...text })
        const bytes = { contentType: 'application/octet-stream', answer: Bytes(), handle: () => Uint8Array.of(0, 255) }
        operations.add({ ...common, path: 'bytes', ...bytes })
      })
      const text = await ask('text')
      expect([text.headers.get('content-type'), await text.text()]).to.eql(['text/yaml; charset=utf-8', 'a: ü\n'])
      const bytes = await ask('bytes')
      expect(bytes.headers.get('content-type')).to.equal('application/octet-stream')
      expect([...new Uint8Array(await bytes.arrayBuffer())]).to.eql([0, 255])
    })

    it('are empty where there is nothing to say', async () => {
      const ask = await startWith((operations) =>
        operations.add({ method: 'DELETE', path: 'it', summary: 'Delete', wire: 'empty', handle() {} }),
      )
      const answer = await ask('it', { method: 'DELETE' })
      expect([answer.status, await answer.text()]).to.eql([204, ''])
    })

    it('are YAML, or in another envelope, where they have none and the query asks for that', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'GET',
          path: 'bare',
          summary: 'Bare',
          wire: 'bare',
          answer: COUNT,
          handle: () => ({ count: 5 }),
        }),
      )
      expect(await (await ask('bare?format=yaml')).text()).to.equal('count: "5"\n')
      expect(await (await ask('bare?format=json')).json()).to.eql({ code: 0, data: { count: '5' }, msg: 'success' })
      expect(await (await ask('bare?format=other')).json()).to.eql({ count: '5' })
    })

    it('make only the items of the page that is asked for', async () => {
      const made: number[] = []
      const slice = (from: number, to: number) => {
        const items = Array.from({ length: Math.max(0, Math.min(to, 1000) - from) }, (_, index) => from + index)
        made.push(...items)
        return items
      }
      const ask = await startWith((operations) =>
        operations.add({
          method: 'GET',
          path: 'long',
          summary: 'Long',
          paged: true,
          answer: Type.Array(Type.Integer()),
          handle: () => ({
            length: 1e3,
            slice,
          }),
        }),
      )
      const page = { code: 0, message: 'success', total: 1000, pageNum: 3, pageSize: 2, data: [4, 5] }
      expect(await (await ask('long?pageNum=3&pageSize=2')).json()).to.eql(page)
      expect(made).to.eql([4, 5])
      const all = { code: 0, message: 'success', total: 1000, pageNum: 1, pageSize: 1000 }
      expect(await (await ask('long')).json()).to.eql({
        ...all,
        data: Array.from({ length: 1000 }, (_, index) => index),
      })
    })

    it('let other work be done while a long list is made', async () => {
      let turns = 0
      const ask = await startWith((operations) =>
        operations.add({
          method: 'GET',
          path: 'turns',
          summary: 'Turns',
          paged: true,
          answer: Type.Array(Type.Integer()),
          handle() {
            const count = () => {
              turns++
              counting = setImmediate(count)
            }
            let counting = setImmediate(count)
            const slice = (from: number, to: number) => {
              if (to === 1e3) clearImmediate(counting)
              return Array.from({ length: to - from }, () => turns)
            }
            return {
              length: 1e3,
              slice,
            }
          },
        }),
      )
      const { data } = (await (await ask('turns')).json()) as { readonly data: readonly number[] }
      expect(new Set(data).size).to.be.greaterThan(5)
    })

    it('tell errors as problem details', async () => {
      const ask = await startWith((operations) =>
        operations.add({
          method: 'GET',
          path: 'problem/{id}',
          summary: 'Problem',
          errors: 'problem',
          params: Type.Object({ id: Type.Integer() }),
          handle() {
            throw new SluiceError('NO_CREDIT', 402, 'no credit left')
          },
        }),
      )
      const problem = (status: number, title: string, detail: string) => ({
        type: 'application/problem+json',
        status,
        body: {
          type: 'about:blank',
          title,
          status,
          detail,
        },
      })
      for (const [path, expected] of [
        ['problem/1', problem(402, 'Payment Required', 'no credit left')],
        ['problem/x', problem(400, 'Bad Request', 'id must be an integer')],
      ] as const) {
        const answer = await ask(path)
        const type = answer.headers.get('content-type')?.split(';')[0]
        expect({ type, status: answer.status, body: await answer.json() }).to.eql(expected)
      }
    })
  })

  describe('server-sent events', () => {
    it('are values that are read at an interval, until the client leaves', async () => {
      let reads = 0
      const { promise: left, resolve } = Promise.withResolvers<void>()
      const host = await start(({ operations }) =>
        operations.events({
          path: 'now/{id}',
          aliases: ['then/{id}'],
          summary: 'Now',
          event: COUNT,
          params: Type.Object({ id: Type.Integer() }),
          read({ params: { id }, signal }) {
            if (reads === 0) signal.addEventListener('abort', () => resolve())
            return { count: id + reads++ }
          },
        }),
      )
      const leaving = new AbortController()
      const { signal } = leaving
      const answer = await fetch(`${host.origin}/c/then/7?interval=100ms`, { signal })
      expect(answer.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8')
      expect(await firstEvents(answer, 3)).to.eql([{ count: '7' }, { count: '8' }, { count: '9' }])
      leaving.abort()
      await left
    })

    it('are values that come by themselves, and end with them', async () => {
      const ask = await startWith((operations) =>
        operations.events({
          path: 'own',
          summary: 'Own',
          event: COUNT,
          async *events() {
            yield { count: 1 }
            yield {
              count: 2,
              note: 'last',
            }
          },
        }),
      )
      const text = await (await ask('own')).text()
      expect(text).to.equal('data: {"count":"1"}\n\ndata: {"count":"2","note":"last"}\n\n')
    })

    it('are the first value alone for who asks for JSON or YAML', async () => {
      const ask = await startWith((operations) =>
        operations.events({
          path: 'one',
          summary: 'One',
          event: COUNT,
          read: () => ({ count: 1 }),
        }),
      )
      expect(await (await ask('one', { headers: { accept: 'application/json' } })).json()).to.eql({ count: '1' })
      expect(await (await ask('one?format=yaml')).text()).to.equal('count: "1"\n')
      expect(await (await ask('one?format=json')).json()).to.eql({ code: 0, data: { count: '1' }, msg: 'success' })
    })

    it('are refused with a status before the first value, and tell what fails later', async () => {
      const ask = await startWith((operations) =>
        operations.events({
          path: 'fails',
          summary: 'Fails',
          event: COUNT,
          query: Type.Object({ after: Type.Integer({ default: 0 }) }),
          async *events({ query: { after } }) {
            for (let count = 0; count < after; count++) yield { count }
            throw new SluiceError('NO_CREDIT', 402, 'no credit left')
          },
        }),
      )
      const refused = { code: 3, message: 'no credit left', details: [] }
      const early = await ask('fails')
      expect([early.status, await early.json()]).to.eql([402, refused])
      const late = await (await ask('fails?after=1')).text()
      expect(late).to.equal(`data: {"count":"0"}\n\nevent: error\ndata: ${JSON.stringify(refused)}\n\n`)
      expect((await ask('fails?after=x')).status).to.equal(400)
    })

    it('are not read for who asks for no body', async () => {
      let reads = 0
      const ask = await startWith((operations) =>
        operations.events({
          path: 'head',
          summary: 'Head',
          event: COUNT,
          read: () => ({ count: ++reads }),
        }),
      )
      expect((await ask('head', { method: 'HEAD' })).status).to.be.oneOf([404, 405])
      expect(reads).to.equal(0)
    })

    it('leave nothing on a connection that is asked with a wrong interval again and again', async () => {
      const ask = await startWith((operations) =>
        operations.events({
          path: 'listeners',
          summary: 'Listeners',
          event: COUNT,
          read: ({ request: { socket } }) => ({ count: socket.listenerCount('close') }),
        }),
      )
      const listeners = async () => (await ask('listeners?format=yaml')).text()
      const before = await listeners()
      for (let asked = 0; asked < 5; asked++) {
        const refused = await ask('listeners?interval=soon')
        expect([refused.status, await refused.text()].join(' ')).to.match(/^400 .*interval/u)
      }
      expect(await listeners()).to.equal(before)
    })
  })
}

/** The first values of an answer that has no end. */
async function firstEvents(answer: Response, count: number): Promise<unknown[]> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of answer.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const blocks = text.split('\n\n').slice(0, -1)
    if (blocks.length >= count) return blocks.slice(0, count).map((block) => JSON.parse(block.replace('data: ', '')))
  }
  throw new Error(`the events have ended: ${text}`)
}
