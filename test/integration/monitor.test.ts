import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { keep } from '../peers/lifetime.ts'
import { sharedPostgres } from '../peers/postgres.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer, type StartServerInit } from '../support/server.ts'
import { createFile } from '../support/stores.ts'

/** Longer than any test takes. */
const FOREVER_SECONDS = 3600
const NODE_FIELDS = [
  'id',
  'type',
  'owner',
  'startTime',
  'description',
  'children',
  'state',
  'blocked',
  'pointer',
  'startReason',
  'eventLoopRunning',
  'level',
]

type Node = {
  readonly id: number
  readonly owner: string
  readonly pointer: string
  readonly description: Readonly<Record<string, string>>
  readonly children: readonly Node[]
  readonly level: number
  readonly startReason: string
}
type Ended = {
  readonly owner: string
  readonly description: string
  readonly reason: string
  readonly parentId: number
  readonly id: number
}

/** A plugin with a task, and routes below a prefix that it shares with the server. */
const DEBUG = `
import { Type } from 'sluice/sdk'
export default {
  name: 'debug', version: '1.0.0',
  setup(ctx) {
    ctx.tasks.start({
      owner: 'sampling',
      description: { target: 'udp://me:hush@host/?key=hush' },
      run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    })
    ctx.operations.add({
      method: 'GET', path: 'api/heap', summary: 'Heap', answer: Type.String(), handle: () => 'the heap',
    })
    ctx.operations.add({
      method: 'GET', path: 'api/session/list', summary: 'Mine', answer: Type.String(), handle: () => 'not the sessions',
    })
  },
}
`

describe('the monitor', () => {
  async function start(config: object = {}, init: StartServerInit = {}): Promise<RunningServer> {
    const { global = {}, ...sections } = config as { readonly global?: object }
    return startServer({
      config: JSON.stringify({ global: { plugins_dir: 'plugins', ...global }, ...sections }),
      prepare: async (folder) => {
        await mkdir(path.join(folder, 'plugins'))
        await writeFile(path.join(folder, 'plugins', 'debug.mjs'), DEBUG)
      },
      ...init,
    })
  }

  async function treeOf(server: RunningServer): Promise<Node> {
    const { status, body } = await server.api('/api/task/tree')
    expect([status, body.code, body.message]).to.eql([200, 0, 'success'])
    return body.data as Node
  }

  function all(node: Node): Node[] {
    return [node, ...node.children.flatMap(all)]
  }

  const post = (server: RunningServer, route: string) => server.api(route, { method: 'POST' })
  const nodeWhere = async (server: RunningServer, isMeant: (node: Node) => boolean) =>
    waitFor(async () => all(await treeOf(server)).find(isMeant), { what: 'the node' })
  const isSubscriber = ({ description }: Node) => description['kind'] === 'subscriber'
  const isPublisher = ({ description }: Node) => description['kind'] === 'publisher'

  it('shows all that runs as a tree, with the fields of the API at each node', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await start()
    const encoder = publish({ url: server.rtmp('live/a'), durationSeconds: FOREVER_SECONDS })
    const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
    await viewer.received.wait(1)
    const root = await treeOf(server)
    for (const node of all(root)) {
      expect(Object.keys(node), node.owner).to.have.members(NODE_FIELDS)
      expect(node.pointer).to.match(/^\d+$/u)
    }
    const pointers = all(root).map(({ pointer }) => pointer)
    expect(new Set(pointers).size).to.equal(pointers.length)
    const of = (owner: string) => root.children.find((node) => node.owner === owner)
    expect(root.children.map(({ owner }) => owner)).to.include.members(['pulls', 'pushes', 'rtmp', 'hls', 'debug'])
    expect(of('rtmp')?.description).to.eql({ plugin: 'rtmp', generation: '1' })
    expect(of('debug')?.children.map(({ owner }) => owner)).to.eql(['sampling'])
    expect(JSON.stringify(root)).not.to.include('hush')
    const listeners = of('listeners')?.children.map(({ owner, description }) => [owner, description['address']])
    expect(listeners?.find(([owner]) => owner === 'rtmp')?.[1]).to.match(new RegExp(`:${server.rtmpPort}$`, 'u'))
    expect(listeners?.some(([, address]) => address?.endsWith(`:${server.httpPort}`))).to.equal(true)
    const [stream] = of('streams')?.children ?? []
    expect(stream).to.include({ owner: 'live/a', level: 2 })
    expect(stream?.description).to.include({ plugin: 'rtmp', subscribers: '1' })
    expect(stream?.children[0]?.description).to.include({ plugin: 'flv', sourcePath: 'live/a' })
    await encoder.close()
  })

  it('stops publishers and subscribers by their pointers', async function () {
    requirePeer(this, 'ffmpeg')
    const server = await start()
    const encoder = publish({ url: server.rtmp('live/a'), durationSeconds: FOREVER_SECONDS })
    const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
    await viewer.received.wait(1)
    const { pointer } = await nodeWhere(server, isSubscriber)
    expect((await post(server, `/api/task/stop/${pointer}`)).body).to.eql({ code: 0, message: 'success' })
    await viewer.ended
    const publisher = await nodeWhere(server, isPublisher)
    expect((await post(server, `/api/task/stop/${publisher.pointer}`)).status).to.equal(200)
    await encoder.exit
    await waitFor(async () => !all(await treeOf(server)).some(isPublisher), { what: 'the publisher to be gone' })
    expect((await post(server, `/api/task/stop/${publisher.pointer}`)).status).to.equal(404)
  })

  it('restarts tasks, and says what else can be done to other nodes', async () => {
    const server = await start()
    const task = await nodeWhere(server, ({ owner }) => owner === 'sampling')
    expect((await post(server, `/api/task/restart/${task.pointer}`)).body).to.eql({ code: 0, message: 'success' })
    const isRestarted = ({ owner, startReason }: Node) => owner === 'sampling' && startReason === 'restart'
    expect(await nodeWhere(server, isRestarted)).to.include({ pointer: task.pointer })
    for (const unknown of ['4711000', '18446744073709551615']) {
      const { status, body } = await post(server, `/api/task/restart/${unknown}`)
      expect([status, body.message], unknown).to.eql([404, 'not found'])
    }
    expect((await post(server, '/api/task/stop/all')).status).to.equal(400)
    const root = await treeOf(server)
    for (const node of [root, ...root.children]) {
      const { status, body } = await post(server, `/api/task/restart/${node.pointer}`)
      expect([status, body.code], node.owner).to.eql([501, 12])
      expect(body.message, node.owner).not.to.equal('')
    }
    expect((await post(server, `/api/task/stop/${task.pointer}`)).status).to.equal(200)
    await waitFor(async () => !all(await treeOf(server)).some(({ owner }) => owner === 'sampling'))
  })

  it('restarts and stops a pull, whose stream goes with it', async function () {
    requirePeer(this, 'ffmpeg')
    const source = await startServer()
    const encoder = publish({ url: source.rtmp('live/a'), durationSeconds: FOREVER_SECONDS })
    await waitFor(() => source.server.streams.get('live/a') !== undefined, { what: 'the source' })
    const server = await start({ rtmp: { pull: { 'live/b': { url: source.rtmp('live/a'), maxretry: -1 } } } })
    const publisherOf = () => server.server.streams.get('live/b')?.publisher
    const before = await waitFor(publisherOf, { what: 'the pull' })
    const isPull = ({ description }: Node) => description['kind'] === 'pull'
    const pull = await nodeWhere(server, isPull)
    expect((await post(server, `/api/task/restart/${pull.pointer}`)).status).to.equal(200)
    await waitFor(() => publisherOf() !== undefined && publisherOf() !== before, { what: 'the next try' })
    expect((await post(server, `/api/task/stop/${pull.pointer}`)).status).to.equal(200)
    await waitFor(() => publisherOf() === undefined, { what: 'the stream to end' })
    expect(all(await treeOf(server)).filter(isPull)).to.eql([])
    await encoder.close()
  })

  it('has its paths below the prefix of a plugin, which has the others', async () => {
    const server = await start()
    expect((await server.api('/debug/api/heap')).body.data).to.equal('the heap')
    for (const route of ['/debug/api/session/list', '/monitor/api/session/list']) {
      const { status, body } = await server.api(route)
      expect([status, (body.data as unknown[]).length], route).to.eql([200, 1])
    }
    expect((await server.api('/debug/api/nothing')).status).to.equal(404)
    expect((await server.api('/monitor/api/nothing')).status).to.equal(404)
    expect((await server.api('/debug/api/task/x')).status).to.equal(400)
  })

  it('is closed to other machines, and where administration has addresses of its own', async () => {
    const config = { global: { admin: { listenaddr: '127.0.0.1:0' } } }
    const server = await start(config)
    for (const route of ['/debug/api/session/list', '/monitor/api/task/1', '/api/task/tree']) {
      expect((await server.api(route)).status, route).to.equal(404)
    }
    const [address] = server.server.http.adminAddresses
    const open = await fetch(`http://127.0.0.1:${address?.port}/debug/api/session/list`)
    expect(open.status).to.equal(200)
    const plain = await start()
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    expect((await plain.api('/debug/api/session/list', { headers })).status).to.equal(401)
    expect((await plain.api('/monitor/api/session/list', { headers })).status).to.equal(401)
  })

  it('can neither be restarted nor shut down where another program runs it', async () => {
    const server = await start()
    for (const route of ['/api/restart', '/api/shutdown', '/api/shutdown/1']) {
      expect((await post(server, route)).status, route).to.equal(501)
      const headers = { origin: 'http://elsewhere.example' }
      expect((await server.api(route, { method: 'POST', headers })).status, route).to.equal(403)
    }
  })

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`keeps what has ended, where it is told to: ${kind}`, async function () {
      requirePeer(this, 'ffmpeg')
      if (kind === 'postgres') requirePeer(this, 'postgresql')
      const db = kind === 'postgres' ? { dsn: await (await sharedPostgres()).createDatabase() } : {}
      const server = await start({ global: { db, taskhistory: true } })
      const encoder = publish({ url: server.rtmp('live/a'), durationSeconds: FOREVER_SECONDS })
      const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
      await viewer.received.wait(1)
      const publisher = await nodeWhere(server, isPublisher)
      const subscriber = await nodeWhere(server, isSubscriber)
      viewer.close()
      await waitFor(async () => !all(await treeOf(server)).some(isSubscriber))
      const task = await nodeWhere(server, ({ owner }) => owner === 'sampling')
      await post(server, `/api/task/stop/${task.pointer}`)
      await post(server, `/api/task/stop/${publisher.pointer}`)
      await encoder.exit
      const sessions = (await server.api('/monitor/api/session/list')).body.data as readonly { readonly id: number }[]
      const id = sessions.at(-1)?.id ?? 0
      const routes = [`/monitor/api/search/task/${id}`, `/debug/api/task/${id}`, `/monitor/api/task/${id}`]
      for (const route of routes) {
        const rows = await waitFor(async () => {
          const { status, body } = await server.api(route)
          expect(status).to.equal(200)
          const data = body.data as readonly Ended[]
          return data.length === 3 && data
        })
        for (const row of rows) {
          expect(Object.keys(row)).to.eql([
            'id',
            'owner',
            'type',
            'startTime',
            'endTime',
            'description',
            'reason',
            'sessionId',
            'parentId',
          ])
          expect(row).to.include({ sessionId: id })
        }
        const [left, sampled, stopped] = rows
        expect(left).to.include({ id: subscriber.id, parentId: publisher.id, owner: 'live/a' })
        expect(sampled).to.include({ owner: 'sampling', reason: 'stop by user' })
        expect(JSON.parse(sampled?.description ?? '')).to.eql({ target: 'udp://******@host/?key=******' })
        expect(stopped).to.include({ id: publisher.id, owner: 'live/a', reason: 'stop by user' })
      }
      expect((await server.api('/monitor/api/task/4711')).body.data).to.eql([])
    })
  }

  it('keeps what ends with the server: pulls, their streams, viewers and tasks', async () => {
    const source = await startServer()
    keep(await NumberedPublisher.start({ port: source.rtmpPort, name: 'a', fps: 25, sizeBytes: 100 }))
    const dsn = await createFile()
    const server = await start({
      global: { db: { dsn }, taskhistory: true },
      rtmp: { pull: { 'live/b': { url: source.rtmp('live/a'), maxretry: -1 } } },
    })
    const viewer = new FlvViewer(server.http('/flv/live/b.flv'))
    await viewer.received.wait(1)
    await server.stop()
    const database = new DatabaseSync(dsn, { readOnly: true })
    const rows = database.prepare('select kind, owner, reason, description from sluice_monitor_task').all()
    const ended = rows.map(({ description, ...row }) => {
      const { kind: what = 'sampling' } = JSON.parse(String(description)) as { kind?: string }
      return `${what}: ${String(row['reason'])}`
    })
    const reason = 'the server is stopping'
    expect(ended.toSorted()).to.eql(['publisher', 'pull', 'sampling', 'subscriber'].map((what) => `${what}: ${reason}`))
    expect(database.prepare('select end_ms from sluice_monitor_run where end_ms > 0').all()).to.have.length(1)
  })

  it('keeps nothing of what ends unless it is told to', async () => {
    const server = await start()
    const task = await nodeWhere(server, ({ owner }) => owner === 'sampling')
    await post(server, `/api/task/stop/${task.pointer}`)
    await waitFor(async () => !all(await treeOf(server)).some(({ owner }) => owner === 'sampling'))
    await server.writeConfig('global: { plugins_dir: plugins, taskhistory: true }\n')
    await server.server.reload()
    const [session] = (await server.api('/monitor/api/session/list')).body.data as readonly { readonly id: number }[]
    expect((await server.api(`/monitor/api/task/${session?.id}`)).body.data).to.eql([])
  })

  it('lists the run alone, and has no history, while the database is away', async () => {
    const server = await start({ global: { db: { dsn: '/nowhere/at/all.db' } } })
    const { status, body } = await server.api('/monitor/api/session/list')
    expect(status).to.equal(200)
    expect(body.data).to.have.length(1)
    expect((body.data as readonly object[])[0]).to.include({ id: 0, pid: process.pid, endTime: '0001-01-01T00:00:00Z' })
    expect((await server.api('/monitor/api/task/0')).status).to.equal(503)
  })
})
