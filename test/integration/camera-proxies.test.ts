import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { createTestServer, type TestServer } from 'sluice/testing'
import { Config } from '../../core/config/config.ts'
import rtsp from '../../plugins/rtsp/index.ts'
import { startMicrosocks } from '../peers/forward-proxy.ts'
import { freePort } from '../peers/free-port.ts'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { ServerProcess } from '../robustness/support/server-process.ts'
import { startDeadEndProxy } from '../support/dead-end-proxy.ts'
import { blocksOf } from '../support/doc-blocks.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { rtspSource } from '../support/rtsp/rtsp-source.ts'
import { ScriptedSource } from '../support/rtsp/scripted-source.ts'

const PATH = 'live/source'
const CLIENT = { ip: '', port: 0, userAgent: 'test' }
const SECRETS = /pa55word|s3cret|admin/u
const USER = 'admin:pa55word@'

const LIVE = 10
const DEAD = 90
const CHECKS = 3
/** Intervals of a second vary by a tenth. */
const LEAST_INTERVAL_MS = 900

type Server = TestServer<unknown>
type Answer = { readonly status: number; readonly code: number; readonly message: string; readonly data?: unknown }
type Proxy = Readonly<Record<string, string | number | boolean>>

async function start(global: Record<string, unknown> = {}): Promise<Server> {
  const server = await createTestServer(rtsp, {
    beside: ['proxy'],
    config: { transport: 'tcp' },
    global: { subscribe: { waittrack: 'all' }, ...global },
  })
  keep({ close: () => server.stop() })
  return server
}

/** Publishes pictures and sound until the test is over, and waits for them to be there. */
async function publish(server: Server, streamPath: string): Promise<PeerProcess> {
  const { file } = await rtspSource('H.264 and AAC')
  const url = `rtsp://127.0.0.1:${server.port()}/${streamPath}`
  const input = ['-v', 'error', '-nostdin', '-re', '-stream_loop', '-1', '-i', file]
  const encoder = new PeerProcess('ffmpeg', [...input, '-c', 'copy', '-f', 'rtsp', '-rtsp_transport', 'tcp', url])
  await waitFor(() => isLive(server, streamPath))
  return encoder
}

/** A server with a stream of pictures and sound. */
async function startOrigin(): Promise<Server> {
  const origin = await start()
  await publish(origin, PATH)
  return origin
}

/** Asks an operation of the proxies: by GET where there is no body. */
async function ask({ origin }: { readonly origin: string }, operation: string, body?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${origin}/api/${operation}`, init)
  return { status: response.status, ...((await response.json()) as Omit<Answer, 'status'>) }
}

/** Asks, and expects it to work. */
async function done(server: { readonly origin: string }, operation: string, body?: unknown): Promise<void> {
  const { status, message } = await ask(server, operation, body)
  expect(`${status} ${message}`).to.equal('200 success')
}

async function list(server: { readonly origin: string }, kind = 'pull'): Promise<readonly Proxy[]> {
  return (await ask(server, `proxy/${kind}/list`)).data as readonly Proxy[]
}

/** Waits for the proxies to have these values of `status`, in the order of their ids. */
async function reach(server: { readonly origin: string }, statuses: readonly number[], kind = 'pull'): Promise<void> {
  const isReached = async () => String((await list(server, kind)).map(({ status }) => status)) === String(statuses)
  await waitFor(isReached, { what: `the status ${String(statuses)}` })
}

const isLive = ({ streams }: Server, streamPath: string) => streams.get(streamPath) !== undefined

describe('pull proxies', () => {
  it('are listed with all fields, and their addresses without what is secret', async () => {
    const server = await start()
    const pullUrl = `rtsp://${USER}127.0.0.1:9/a?token=s3cret`
    await done(server, 'proxy/pull/add', { pull_url: pullUrl, name: 'Gate', recordPath: 'r', record_fragment: '60s' })
    const [proxy] = await list(server)
    const { createTime, updateTime, ...rest } = proxy!
    expect(new Date(String(createTime)).toISOString()).to.equal(createTime)
    expect(updateTime).to.equal(createTime)
    expect(rest).to.eql({
      ID: 1,
      parentID: 0,
      name: 'Gate',
      type: 'rtsp',
      status: 0,
      rtt: 0,
      streamPath: 'pull/rtsp/1',
      pullURL: 'rtsp://******@127.0.0.1:9/a?token=******',
      pullOnStart: false,
      stopOnIdle: false,
      audio: false,
      description: '',
      recordPath: 'r',
      recordFragment: '60s',
      checkInterval: '10s',
      error: '',
      isFixed: false,
    })
    expect((await ask(server, 'device/list')).data).to.eql([proxy])
  })

  it('take the example of the specification, and an address that comes back as it was shown', async () => {
    const server = await start()
    const source = await ScriptedSource.start()
    await done(server, 'proxy/pull/add', { pullURL: source.url(USER), audio: true, streamPath: '' })
    const [{ pullURL: shown } = {} as Proxy] = await list(server)
    await done(server, 'proxy/pull/update', { ID: 1, name: 'Camera', type: 2, pullURL: shown })
    await done(server, 'device/update', { id: 1, description: 'x', status: 1, streamPath: '' })
    expect((await list(server))[0]).to.include({ name: 'Camera', type: 'rtsp', description: 'x', pullURL: shown })
    const viewer = await ReceivedUnits.of(server.streams, 'pull/rtsp/1')
    await waitFor(() => viewer.units.length > 0)
    const other = String(shown).replace('camera', 'other')
    expect(await ask(server, 'proxy/pull/update', { ID: 1, pullURL: other })).to.include({ status: 400 })
  })

  it('pull for the first viewer, whether the latest check reached the source or not, with sound where it is wanted', async function () {
    requirePeer(this, 'ffmpeg')
    const origin = await startOrigin()
    const edge = await start()
    const url = `rtsp://127.0.0.1:${origin.port()}/${PATH}`
    await done(edge, 'proxy/pull/add', { pullURL: url, streamPath: 'a', audio: true })
    await done(edge, 'proxy/pull/add', { pullURL: url, streamPath: 'b' })
    const [loud, silent] = await Promise.all([ReceivedUnits.of(edge.streams, 'a'), ReceivedUnits.of(edge.streams, 'b')])
    await waitFor(() => loud.timesMs('audio').length > 0 && loud.timesMs('video').length > 0)
    await waitFor(() => silent.timesMs('video').length > 10)
    expect(silent.timesMs('audio')).to.eql([])
    await reach(edge, [2, 2])
  })

  it('are looked for through the proxy of their rule, wherever that leads', async function () {
    requirePeer(this, 'microsocks')
    const way = await startMicrosocks({ name: 'someone', password: 'pa55word' })
    const source = await ScriptedSource.start()
    const pull = { url: source.url(), proxy: way.url }
    const server = await start({ pullproxy: [{ id: 1, streampath: 'live/a', pull }] })
    await reach(server, [1])
    await waitFor(() => way.log().includes(String(source.port)), { what: 'the proxy to be asked' })
  })

  it(`play where they can, when ${DEAD} of ${DEAD + LIVE} sources are away, which are asked once in an interval`, async () => {
    const source = await ScriptedSource.start()
    const deadEnd = await startDeadEndProxy()
    const startMs = performance.now()
    const dead = Array.from({ length: DEAD }, (_, index) => ({
      streampath: `dead/${index}`,
      pull: {
        url: `rtsp://192.0.2.${index + 1}/camera`,
        proxy: deadEnd.url,
      },
      pullonstart: true,
      checkinterval: '1s',
    }))
    const livePaths = Array.from({ length: LIVE }, (_, index) => `live/${index}`)
    const live = livePaths.map((streampath) => ({ streampath, pull: source.url(), audio: true }))
    const server = await start({ pullproxy: [...dead, ...live] })
    const viewers = await Promise.all(livePaths.map((streamPath) => ReceivedUnits.of(server.streams, streamPath)))
    await waitFor(() => viewers.every(({ units }) => units.length > 0), { what: 'those that live to play' })
    const isAskedOften = () => deadEnd.dials.size === DEAD && Math.min(...deadEnd.dials.values()) >= CHECKS
    await waitFor(isAskedOften, { what: `${CHECKS} dials of each that is away` })
    const before = viewers.map(({ units }) => units.length)
    await waitFor(() => viewers.every(({ units }, index) => units.length > before[index]!), { what: 'more media' })
    const most = Math.max(...deadEnd.dials.values())
    expect(most).to.be.at.most(1 + (performance.now() - startMs) / LEAST_INTERVAL_MS)
    expect(source.methods.filter((method) => method === 'PLAY')).to.have.length(LIVE)
    const listed = server.streams.list().map((stream) => stream.path)
    expect(listed).to.have.members(livePaths)
  })

  it('pull once for a thousand viewers', async () => {
    const source = await ScriptedSource.start()
    const server = await start()
    await done(server, 'proxy/pull/add', { pullURL: source.url(), streamPath: 'a', audio: true })
    const subscribe = () => server.streams.subscribe({ streamPath: 'a', url: '', query: '', client: CLIENT })
    await Promise.all(Array.from({ length: 1000 }, subscribe))
    expect(source.methods.filter((method) => method === 'PLAY')).to.have.length(1)
  })

  it('stop some time after the last viewer left, if they are to', async function () {
    requirePeer(this, 'ffmpeg')
    const origin = await startOrigin()
    const edge = await start()
    const url = `rtsp://127.0.0.1:${origin.port()}/${PATH}`
    await done(edge, 'proxy/pull/add', { pullURL: url, streamPath: 'a', stopOnIdle: true })
    await done(edge, 'proxy/pull/add', { pullURL: url, streamPath: 'b' })
    const viewers = await Promise.all(['a', 'b'].map((streamPath) => ReceivedUnits.of(edge.streams, streamPath)))
    await reach(edge, [2, 2])
    for (const { subscriber } of viewers) subscriber.close('enough')
    await reach(edge, [1, 2])
    expect([isLive(edge, 'a'), isLive(edge, 'b')]).to.eql([false, true])
  })

  it('pull from the start on, lose their source, and have it again when it is back', async () => {
    const source = await ScriptedSource.start()
    const server = await start()
    const body = { pullURL: source.url(USER), pullOnStart: true, audio: true, checkInterval: '1s' }
    await done(server, 'proxy/pull/add', body)
    await reach(server, [2])
    expect((await list(server))[0]?.['rtt']).to.be.greaterThan(0)
    source.kill()
    await reach(server, [0])
    await source.listen()
    await reach(server, [2])
    expect(JSON.stringify([server.log, await list(server)])).not.to.match(SECRETS)
  })

  it('restart for another address, and end when they are disabled or removed', async () => {
    const [first, second] = [await ScriptedSource.start(), await ScriptedSource.start()]
    const server = await start()
    await done(server, 'proxy/pull/add', { pullURL: first.url(), streamPath: 'a', audio: true, pullOnStart: true })
    await reach(server, [2])
    await done(server, 'proxy/pull/update', { ID: 1, pullURL: second.url() })
    await waitFor(() => first.connections.size === 0 && second.methods.includes('PLAY'))
    await reach(server, [2])
    await done(server, 'proxy/pull/update', { ID: 1, status: 3 })
    await reach(server, [3])
    await waitFor(() => !isLive(server, 'a') && second.connections.size === 0)
    await done(server, 'proxy/pull/update', { ID: 1, status: 0 })
    await reach(server, [2])
    await done(server, 'proxy/pull/remove/0', { streamPath: 'a' })
    await waitFor(() => !isLive(server, 'a') && second.connections.size === 0)
    expect(await list(server)).to.eql([])
  })

  it('are one for a path that is enabled, and refused when they are wrong or not there', async () => {
    const server = await start()
    const add = (body: object) => ask(server, 'proxy/pull/add', { pullURL: `rtsp://${USER}127.0.0.1:9/a`, ...body })
    await add({ streamPath: 'a' })
    await add({ streamPath: 'a' })
    await reach(server, [0, 3])
    const refusals = [
      await ask(server, 'proxy/pull/update', { ID: 2, status: 0 }),
      await ask(server, 'proxy/pull/update', { ID: 9, name: 'x' }),
      await ask(server, 'proxy/pull/remove/9', {}),
      await ask(server, 'device/remove/0', { streamPath: 'b' }),
      await ask(server, 'proxy/pull/remove/0', {}),
      await add({ pullURL: '' }),
      await add({ pullURL: `http://${USER}host/a` }),
      await add({ checkInterval: 'soon' }),
      await add({ type: 99 }),
    ]
    expect(refusals.map(({ status }) => status)).to.eql([409, 404, 404, 404, 400, 400, 400, 400, 400])
    expect(JSON.stringify(refusals)).not.to.match(SECRETS)
    await done(server, 'proxy/pull/remove/1', {})
    await done(server, 'device/update', { ID: 2, status: 1 })
    await reach(server, [0])
  })

  it('say that there is no database, and are pulled from the config all the same', async () => {
    const source = await ScriptedSource.start()
    const entry = (streampath: string) => ({ streampath, pull: source.url(USER) })
    const server = await start({
      db: { dsn: '/nowhere/at/all.db' },
      pullproxy: [{ id: 5, ...entry('a') }, entry('b'), { pull: source.url() }],
    })
    const answers = [
      await ask(server, 'proxy/pull/list'),
      await ask(server, 'proxy/pull/add', { pullURL: source.url() }),
    ]
    expect(answers.map(({ status }) => status)).to.eql([503, 503])
    for (const { message } of answers) expect(message).to.match(/^no db/u)
    for (const streamPath of ['a', 'b']) await ReceivedUnits.of(server.streams, streamPath)
    expect(server.problems.map(({ msg }) => msg)).to.include(
      'global.pullproxy[2] is left out: it needs an id or a streampath',
    )
    expect(JSON.stringify(server.log)).not.to.match(SECRETS)
  })
})

describe('push proxies', () => {
  it('push what is live and what starts later, and say so', async function () {
    requirePeer(this, 'ffmpeg')
    const target = await start()
    const origin = await startOrigin()
    const to = (name: string, port: number) => `rtsp://${USER}127.0.0.1:${port}/${name}?token=s3cret`
    const away = await freePort()
    await done(origin, 'proxy/push/add', { pushURL: to('a', target.port()), streamPath: PATH, audio: true })
    await done(origin, 'proxy/push/add', { pushURL: to('b', target.port()), stream_path: 'live/later' })
    await done(origin, 'proxy/push/add', { pushURL: to('c', away), streamPath: PATH })
    await reach(origin, [2, 1, 0], 'push')
    const viewer = await ReceivedUnits.of(target.streams, 'a')
    await waitFor(() => viewer.timesMs('audio').length > 0 && viewer.timesMs('video').length > 0)
    const later = await publish(origin, 'live/later')
    const silent = await ReceivedUnits.of(target.streams, 'b')
    await waitFor(() => silent.timesMs('video').length > 10)
    expect(silent.timesMs('audio')).to.eql([])
    await reach(origin, [2, 2, 0], 'push')
    later.signal('SIGKILL')
    await reach(origin, [2, 1, 0], 'push')
    const proxies = await list(origin, 'push')
    expect(proxies[1]).to.include({ ID: 2, type: 'rtsp', pushOnStart: false, audio: false, streamPath: 'live/later' })
    expect(JSON.stringify([proxies, origin.log])).not.to.match(SECRETS)
    await done(origin, 'proxy/push/update', { ID: 1, status: 3 })
    await waitFor(() => !isLive(target, 'a'))
    await done(origin, 'proxy/push/remove/0', { streamPath: PATH })
    expect(await list(origin, 'push')).to.have.length(1)
  })
})

describe('docs/proxies.md', () => {
  it('has config that is valid', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    keep({ close: () => rm(folder, { recursive: true }) })
    const file = path.join(folder, 'config.yaml')
    await writeFile(file, (await blocksOf('docs/proxies.md', 'yaml'))('pullproxy'))
    const config = await Config.load({ file, env: {} })
    expect(config.problems).to.eql([])
    expect(config.global.pullproxy.map(({ id, pull }) => [id, pull.url])).to.eql([
      [1, 'rtsp://user:password@192.0.2.10/stream1'],
      [0, 'rtsp://192.0.2.11/stream1'],
    ])
    expect(config.global.pushproxy).to.have.length(1)
  })
})

describe('the proxies that are stored', () => {
  it('are there after a restart, also after kill -9, and those of the config take their places', async () => {
    const datadir = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    keep({ close: () => rm(datadir, { recursive: true, force: true }) })
    const config = { datadir, pullproxy: [] as object[] }
    const run = async () => {
      const server = await ServerProcess.start(JSON.stringify({ global: config }))
      return { origin: `http://127.0.0.1:${server.ports.http}`, server }
    }
    const first = await run()
    for (const name of ['a', 'b']) {
      await done(first, 'proxy/pull/add', { pullURL: `rtsp://${USER}127.0.0.1:9/${name}`, name })
    }
    await done(first, 'proxy/push/add', { pushURL: 'rtsp://127.0.0.1:9/c', streamPath: 'c' })
    // Why a proxy is away is known after its first try, and is not stored.
    const stored = async (run: { readonly origin: string }, kind?: 'push') =>
      (await list(run, kind)).map(({ error: _error, ...proxy }) => proxy)
    const before = [await stored(first), await stored(first, 'push')]
    process.kill(first.server.pid, 'SIGKILL')
    await first.server.stop()
    config.pullproxy = [{ id: 2, name: 'of the config', pull: 'rtsp://127.0.0.1:9/d' }]
    const second = await run()
    const [kept, configured, ...more] = await stored(second)
    expect([kept, more, await stored(second, 'push')]).to.eql([before[0]?.[0], [], before[1]])
    expect(configured).to.include({
      ID: 2,
      name: 'of the config',
      pullURL: 'rtsp://127.0.0.1:9/d',
      createTime: before[0]?.[1]?.['createTime'],
    })
    await second.server.stop()
  })
})
