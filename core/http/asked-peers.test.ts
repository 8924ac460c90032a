import { once } from 'node:events'
import { expect } from 'chai'
import { Bytes, StreamNotFound, StreamPath, StreamUnavailable, Type, type OperationRegistry } from 'sluice/sdk'
import { LogRecords } from 'sluice/sdk/testing'
import { OperationRoutes, type AnyOperation } from 'sluice/sdk/host'
import { MemoryBus } from '../peers/testing/memory-bus.ts'
import { AskedPeers } from './asked-peers.ts'
import { createApp } from './testing/ask-operations.ts'
import { HttpFixture, waitFor } from './testing/http-fixture.ts'

const ONE_STREAM = Type.Object({ streamPath: StreamPath() })
const BY_ID = Type.Object({ id: Type.Integer() })

describe('operations that reach several processes', () => {
  let bus: MemoryBus
  let servers: HttpFixture[]
  let streams: ReadonlySet<string>[]
  beforeEach(() => {
    bus = new MemoryBus()
    streams = [new Set(), new Set()]
    const join = (process: number) => bus.join(process, { hasStream: (path) => streams[process]?.has(path) === true })
    servers = [0, 1].map((process) => new HttpFixture({}, {}, {}, join(process)))
  })
  afterEach(() => Promise.all(servers.map((server) => server.close())))

  /** Adds operations to both, and starts them. */
  async function start(add: (operations: OperationRegistry, process: number) => void): Promise<void> {
    for (const [process, { host }] of servers.entries()) {
      add(host.operations, process)
      await host.start()
    }
  }

  async function ask(process: number, path: string, init?: RequestInit) {
    const response = await fetch(servers[process]?.url(path) ?? '', init)
    const { data, total, message } = (await response.json()) as Record<string, unknown>
    return { status: response.status, headers: response.headers, data, total, message }
  }

  it('join lists of all, and give the page of them that is asked for', async () => {
    const made: string[] = []
    await start((operations, process) => {
      operations.add({
        method: 'GET',
        path: '/api/things',
        summary: 'Things',
        answer: Type.Array(Type.Object({ name: Type.String() })),
        paged: true,
        reach: 'all',
        handle: () => ({
          length: 3,
          slice(from: number, to: number) {
            const numbers = Array.from({ length: Math.max(0, Math.min(3, to) - from) }, (_, at) => from + at)
            made.push(...numbers.map((number) => `${process}.${number}`))
            return numbers.map((number) => ({ name: `${process}.${number}` }))
          },
        }),
      })
    })
    const names = async (process: number, query: string) => {
      const { data, total } = await ask(process, `/api/things${query}`)
      return [(data as { name: string }[]).map(({ name }) => name).join(' '), total]
    }
    expect(await names(0, '')).to.eql(['0.0 0.1 0.2 1.0 1.1 1.2', 6])
    expect(await names(1, '?pageSize=2&pageNum=2')).to.eql(['1.2 0.0', 6])
    made.length = 0
    expect(await names(0, '?pageSize=2')).to.eql(['0.0 0.1', 6])
    expect(made).to.have.members(['0.0', '0.1', '1.0', '1.1'])
    expect(await names(0, '?pageSize=2&pageNum=9')).to.eql(['', 6])
  })

  it('join what is no page, and what a function makes of all answers', async () => {
    await start((operations, process) => {
      const common = { method: 'GET', summary: 'Things', wire: 'bare' } as const
      const list = { answer: Type.Array(Type.Integer()), handle: () => [process] }
      operations.add({ ...common, ...list, path: '/api/all', reach: 'all' })
      const sum = { all: (counts: readonly { count?: number | undefined }[]) => ({ count: add(counts) }) }
      const answer = Type.Object({ count: Type.Integer() })
      operations.add({ ...common, path: '/api/sum', answer, reach: sum, handle: () => ({ count: process + 5 }) })
      operations.add({ ...common, ...list, path: '/api/here' })
    })
    const text = async (path: string) => (await fetch(servers[1]?.url(path) ?? '')).text()
    expect(await text('/api/all')).to.equal('[1,0]')
    expect(await text('/api/sum')).to.equal('{"count":11}')
    expect(await text('/api/here')).to.equal('[1]')
  })

  it('leave out what is not there, and fail where it is nowhere', async () => {
    await start((operations, process) => {
      operations.add({
        method: 'GET',
        path: '/api/of/{id}',
        summary: 'Those of one',
        params: BY_ID,
        answer: Type.Array(Type.Integer()),
        reach: 'all',
        handle({ params: { id } }) {
          if (id !== process) throw new StreamNotFound()
          return [id]
        },
      })
    })
    expect((await ask(0, '/api/of/1')).data).to.eql([1])
    expect((await ask(0, '/api/of/0')).data).to.eql([0])
    expect((await ask(0, '/api/of/2')).status).to.equal(404)
    expect(servers.flatMap(({ lines }) => lines).filter(({ level }) => level === 'warn')).to.eql([])
  })

  it('are for the process that has the session or the stream', async () => {
    await start((operations, process) => {
      const common = { method: 'POST', summary: 'Stop', answer: Type.String(), body: Type.Object({}) } as const
      const handle = () => `stopped by ${process}`
      operations.add({ ...common, path: '/api/stop/{id}', params: BY_ID, reach: { session: 'id' }, handle })
      const reach = { stream: 'streamPath' }
      operations.add({ ...common, path: '/api/end/{streamPath}', params: ONE_STREAM, reach, handle })
    })
    streams = [new Set(['live/a']), new Set(['live/b'])]
    const answers = [`/api/stop/${(1 << 20) | 7}`, '/api/stop/7', '/api/end/live/a', '/api/end/live/b'].map((path) =>
      Promise.all([0, 1].map(async (process) => (await ask(process, path, { method: 'POST' })).data)),
    )
    const [one, zero] = ['stopped by 1', 'stopped by 0']
    expect(await Promise.all(answers)).to.eql([
      [one, one],
      [zero, zero],
      [zero, zero],
      [one, one],
    ])
    // Of a process that is not there, and of a stream that nobody has.
    const elsewhere = [`/api/stop/${9 << 20}`, '/api/end/live/c'].map((path) => ask(1, path, { method: 'POST' }))
    expect((await Promise.all(elsewhere)).map(({ data }) => data)).to.eql([one, one])
  })

  it('are for the one that does what only one does, whichever that is', async () => {
    await start((operations, process) => {
      const summary = 'Change'
      const handle = () => `by ${process}`
      operations.add({ method: 'PUT', path: '/api/change', summary, answer: Type.String(), reach: 'one', handle })
    })
    const change = (process: number) => ask(process, '/api/change', { method: 'PUT' })
    expect([(await change(0)).data, (await change(1)).data]).to.eql(['by 0', 'by 0'])
    bus.leave(0)
    expect((await change(1)).data).to.equal('by 1')
  })

  it('are given what the client sent, and answer with its error', async () => {
    await start((operations, process) => {
      operations.add({
        method: 'POST',
        path: '/api/try/{id}',
        aliases: ['GET /api/try/{id}'],
        summary: 'Try',
        params: BY_ID,
        query: Type.Object({ how: Type.Optional(Type.String()) }),
        body: Type.Object({ what: Type.String() }),
        answer: Type.String(),
        reach: { session: 'id' },
        handle({ query, body, user, request }) {
          if (body.what === 'full')
            throw Object.assign(new StreamUnavailable('full'), { headers: { 'retry-after': '9' } })
          if (body.what === 'broken') throw new Error('secret')
          return `${process} ${query.how} ${body.what} ${user} ${request.headers.from} ${request.url}`
        },
      })
    })
    const id = 1 << 20
    const send = (what: string) =>
      ask(0, `/api/try/${id}?how=soon`, {
        method: 'POST',
        body: JSON.stringify({ what }),
        headers: { from: 'c1' },
      })
    expect((await send('it')).data).to.equal(`1 soon it anonymous c1 /api/try/${id}?how=soon`)
    expect((await ask(0, `/api/try/${id}?how=now&what=this`)).data).to.match(/^1 now this /u)
    const full = await send('full')
    expect([full.status, full.message, full.headers.get('retry-after')]).to.eql([503, 'full', '9'])
    const broken = await send('broken')
    expect([broken.status, broken.message]).to.eql([500, 'internal error'])
    const errors = servers.map(({ lines }) => lines.filter(({ level }) => level === 'error').length)
    expect(errors[1]).to.equal(1)
  })

  it('answer with bytes of another process', async () => {
    await start((operations, process) => {
      operations.add({
        method: 'GET',
        path: '/api/picture/{id}',
        summary: 'A picture',
        params: BY_ID,
        answer: Bytes(),
        contentType: 'image/jpeg',
        reach: { session: 'id' },
        handle: () => Buffer.from([process, 2, 3]),
      })
    })
    const response = await fetch(servers[0]?.url(`/api/picture/${1 << 20}`) ?? '')
    expect(response.headers.get('content-type')).to.equal('image/jpeg')
    expect([...(await response.bytes())]).to.eql([1, 2, 3])
  })

  it('end there when the client leaves', async () => {
    const begun = Promise.withResolvers<AbortSignal>()
    await start((operations) => {
      operations.add({
        method: 'POST',
        path: '/api/wait/{id}',
        summary: 'Wait',
        params: BY_ID,
        reach: { session: 'id' },
        async handle({ signal }) {
          begun.resolve(signal)
          await once(signal, 'abort')
        },
      })
    })
    const client = new AbortController()
    const asked = ask(0, `/api/wait/${1 << 20}`, { method: 'POST', signal: client.signal }).catch(() => {})
    const signal = await begun.promise
    client.abort()
    await waitFor(() => signal.aborted)
    await asked
  })
})

describe('a process that does not answer', () => {
  const PATIENCE = { allMs: 1, oneMs: 1 }
  let bus: MemoryBus
  let log: LogRecords
  beforeEach(() => {
    bus = new MemoryBus()
    log = new LogRecords('core')
  })

  /** Asks the first of two processes, of which the other says nothing. */
  async function answerOf(operation: AnyOperation, url = '/api/x') {
    const peers = bus.join(0)
    bus.join(1).serve({ answer: () => Promise.reject(new Error('asked')), take() {}, hasRoute: () => false })
    bus.silence(1)
    const app = createApp(log)
    const routes = new OperationRoutes({
      targetOf: () => app,
      peers: new AskedPeers({
        log: log.logger,
        peers,
        patience: PATIENCE,
      }),
    })
    routes.add(operation)
    const response = await app.fastify.inject({ method: operation.method, url })
    await app.close()
    return response
  }

  it('is left out where all are read, and the log says so', async () => {
    const list = { summary: 'All', answer: Type.Array(Type.Integer()), reach: 'all', handle: () => [7] } as const
    const response = await answerOf({ method: 'GET', path: '/api/x', ...list })
    expect(response.json()).to.deep.include({ code: 0, data: [7] })
    expect(log.records.map(({ msg }) => msg)).to.include('a part of an answer was left out')
  })

  it('may have what is not here: that is no 404', async () => {
    const handle = () => {
      throw new StreamNotFound()
    }
    const list = { summary: 'All', answer: Type.Array(Type.Integer()), reach: 'all', handle } as const
    expect((await answerOf({ method: 'GET', path: '/api/x', ...list })).statusCode).to.equal(503)
  })

  it('fails a change that is for all, though it was made here: it may not have been made there', async () => {
    let changes = 0
    const change = { summary: 'Change', reach: 'all', handle: () => void changes++ } as const
    const response = await answerOf({ method: 'POST', path: '/api/x', ...change })
    expect([response.statusCode, response.headers['retry-after'], changes]).to.eql([503, '2', 1])
    expect(response.json()).to.have.property('message', 'process 1 of the server does not answer')
  })

  it('fails what it alone can answer', async () => {
    const one = { summary: 'One', params: BY_ID, reach: { session: 'id' }, handle: () => {} } as const
    const response = await answerOf({ method: 'GET', path: '/api/x/{id}', ...one }, `/api/x/${1 << 20}`)
    expect([response.statusCode, response.headers['retry-after']]).to.eql([503, '2'])
  })

  it('fails what only one does, where none does it now', async () => {
    const one = { summary: 'One', reach: 'one', handle: () => {} } as const
    const response = await answerOf({ method: 'PUT', path: '/api/x', ...one })
    expect(response.statusCode).to.equal(503)
    expect(response.json()).to.have.property('message').that.includes('no process')
  })
})

function add(counts: readonly { count?: number | undefined }[]): number {
  return counts.reduce((sum, { count = 0 }) => sum + count, 0)
}
