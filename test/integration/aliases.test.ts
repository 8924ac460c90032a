import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { signatureQuery } from '../gates/signing.ts'
import { keep } from '../peers/lifetime.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { ServerCommand } from '../support/command.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { watchHls } from '../support/show/show-hls-viewer.ts'
import { watchRtsp } from '../support/show/show-rtsp-viewer.ts'
import { ShowSource, ShowUnits, type ShowName } from '../support/show/show-source.ts'
import { watchHttp, watchRtmp, type ShowViewer } from '../support/show/show-viewer.ts'
import { UnitWatch } from '../support/show/unit-watch.ts'
import { isSoak } from '../support/soak.ts'

const SWITCHES = isSoak ? 30 : 6
const VIEWERS = 50
/** Viewers of HLS without low latency are waited for now and then. */
const SWITCHES_TO_SEGMENTS = isSoak ? 10 : 3
/** A machine with other work to do must not make viewers skip, as every unit is to come. */
const CONFIG = `
global: { subscribe: { queuetime: 5m, queuesize: 1GB, stalltimeout: 0s, waittimeout: 30s } }
rtsp: { sessiontimeout: 10m }
hls: { fragment: 500ms, part: 100ms, window: 40 }
`

async function setAlias(server: RunningServer, alias: string, streamPath: string, autoRemove = false): Promise<void> {
  const body = JSON.stringify({ alias, streamPath, autoRemove })
  const headers = { 'content-type': 'application/json' }
  const answer = await server.api('/api/stream/alias', { method: 'POST', headers, body })
  expect(answer.body, `${alias} to ${streamPath}`).to.include({ code: 0 })
}

/** A plugin that says what it is to pull. */
const PROBE = `
import { definePlugin } from 'sluice/sdk'

export default definePlugin({
  name: 'probe',
  version: '1.0.0',
  provides: ['pull:probe'],
  setup(ctx) {
    ctx.services.provide('pull:probe', {
      schemes: ['probe'],
      async pull({ args }) {
        ctx.log.info({ args }, 'asked')
        throw new Error('nothing is there')
      },
    })
  },
})
`

const many = <Value>(count: number, make: (index: number) => Value) => Array.from({ length: count }, (_, i) => make(i))

describe('an alias that is switched under its viewers', () => {
  let server: RunningServer
  let sources: Record<ShowName, ShowSource>
  let units: ShowUnits
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
    const names = ['small', 'wide', 'square'] as const
    const made = await Promise.all(names.map((name) => ShowSource.make(name, server.folder)))
    units = new ShowUnits(made)
    sources = Object.fromEntries(made.map((source) => [source.name, source])) as typeof sources
    await Promise.all(
      made.map(({ name, tags, loopMs }) => LiveSource.start({ url: server.rtmp(`live/${name}`), tags, loopMs })),
    )
    await waitFor(() => names.every((name) => server.server.streams.get(`live/${name}`) !== undefined))
  })

  /** Viewers by every protocol that can be told of other codecs, and those of RTSP. */
  async function crowd(show: string, camera: string) {
    const watch = () => new UnitWatch({ units })
    const apart = () => new UnitWatch({ units, apart: true })
    const filled = () => new UnitWatch({ units, filled: true })
    const http = (ending: string) => server.http(`/${ending}/${show}.${ending}`)
    const ws = (ending: string) => server.ws(`/${ending}/${show}.${ending}`)
    const live: Promise<ShowViewer>[] = [
      ...many(9, () => watchRtmp(server.rtmp(show), watch())),
      ...many(8, () => watchHttp(http('flv'), watch())),
      ...many(7, () => watchHttp(ws('flv'), watch())),
      ...many(4, () => watchHttp(http('mp4'), filled())),
      ...many(6, () => watchHttp(ws('mp4'), filled())),
    ]
    const rtsp: Promise<ShowViewer>[] = [
      ...many(4, () => watchRtsp(server.rtsp(camera), 'TCP', watch())),
      ...many(4, () => watchRtsp(server.rtsp(camera), 'UDP', new UnitWatch({ units, apart: true, lossy: true }))),
    ]
    const hls = (['llhls', 'fmp4', 'ts'] as const).flatMap((format) =>
      many(format === 'llhls' ? 4 : 2, () => watchHls(server.http(`/hls/${show}/index.m3u8`), format, apart())),
    )
    return { live: await Promise.all(live), rtsp: await Promise.all(rtsp), hls: await Promise.all(hls) }
  }

  it(`${SWITCHES} times: they go on at keyframes, with times that go on and nothing missing`, async function () {
    this.timeout(600_000)
    await setAlias(server, 'show/main', 'live/small')
    await setAlias(server, 'show/camera', 'live/small')
    const { live, rtsp, hls } = await crowd('show/main', 'show/camera')
    const all: readonly ShowViewer[] = [...live, ...rtsp, ...hls]
    expect(all).to.have.length(VIEWERS)
    const own = await Promise.all(
      Object.keys(sources).flatMap((name) => [
        watchHttp(server.http(`/flv/live/${name}.flv`), new UnitWatch({ units })),
        watchRtsp(server.rtsp(`live/${name}`), 'TCP', new UnitWatch({ units })),
      ]),
    )
    const [prompt, slow] = [[...live, ...rtsp, ...hls.slice(0, 4)], hls.slice(4)]
    const ways = Object.values(Object.groupBy(prompt, ({ way }) => way)).map((group) => group![0]!)
    expect(ways.map(({ way }) => way)).to.have.length(8)
    const shows = (viewers: readonly ShowViewer[], name: ShowName) =>
      waitFor(() => viewers.every(({ watch, isGone }) => isGone() || isNow(watch, name)), {
        what: `${name} everywhere`,
        timeoutMs: 120_000,
      })
    const isNow = ({ showing }: UnitWatch, name: ShowName) =>
      showing !== undefined && (showing === 'small') === (name === 'small')
    await shows(all, 'small')
    for (let count = 1; count <= SWITCHES; count++) {
      const name = count % 2 === 0 ? 'small' : 'wide'
      await setAlias(server, 'show/main', `live/${name}`)
      await setAlias(server, 'show/camera', name === 'small' ? 'live/small' : 'live/square')
      await shows(count % SWITCHES_TO_SEGMENTS === 0 ? [...ways, ...slow] : ways, name)
    }
    await shows(all, 'small')
    const problems = [...all, ...own].flatMap(({ way, watch }) => watch.problems.map((problem) => `${way}: ${problem}`))
    expect([...new Set(problems)]).to.eql([])
    expect(all.filter(({ isGone }) => isGone()).map(({ way }) => way)).to.eql([])
    for (const { way, watch } of all) expect(watch.shown.length, way).to.equal(SWITCHES + 1)
    for (const { way, discontinuities } of hls) expect(discontinuities(), way).to.be.at.least(SWITCHES)
    for (const { watch } of own) expect(watch.shown.length).to.equal(1)
    for (const { watch } of [...all, ...own]) expect(watch.counts.audio).to.be.above(SWITCHES)
    for (const { close } of [...all, ...own]) close()
  })

  it('in ffmpeg, which decodes one after the other by RTMP and RTSP', async () => {
    await setAlias(server, 'show/decoded', 'live/small')
    const urls = [server.rtmp('show/decoded'), server.rtsp('show/decoded')]
    const players = urls.map((url) => {
      const transport = url.startsWith('rtsp') ? ['-rtsp_transport', 'tcp'] : []
      const output = ['-fps_mode', 'passthrough', '-flush_packets', '1', '-f', 'framemd5', '-']
      return new PeerProcess('ffmpeg', ['-v', 'error', '-nostdin', '-xerror', ...transport, '-i', url, ...output])
    })
    const decoded = () => players.map(({ stdout }) => stdout.toString().split('\n').length)
    const goOn = async () => {
      const before = decoded()
      const isOn = () => players.some(({ exited }) => exited) || decoded().every((count, i) => count > before[i]! + 50)
      await waitFor(isOn, { what: 'decoded frames' })
    }
    await goOn()
    for (const name of ['square', 'small', 'square', 'small', 'square']) {
      await setAlias(server, 'show/decoded', `live/${name}`)
      await goOn()
    }
    const ends = players.map(({ exited, stderr }, index) => ({ url: urls[index], exited, stderr }))
    expect(ends).to.eql(urls.map((url) => ({ url, exited: undefined, stderr: '' })))
  })

  after(() => expect(server?.problems).to.eql([]))
})

describe('aliases of a server', () => {
  const ask = async (server: RunningServer, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await server.api('/api/stream/alias', { method: 'POST', headers, body: JSON.stringify(body) })
    return [answer.status, answer.body.message]
  }
  const statuses = async (server: RunningServer) => {
    const { data } = (await server.api('/api/stream/alias/list')).body
    return (data as readonly { alias: string; status: number }[]).map(({ alias, status }) => `${alias} ${status}`)
  }
  const publishNumbers = (server: RunningServer, name: string) =>
    NumberedPublisher.start({ port: server.rtmpPort, name, fps: 25, sizeBytes: 100 })

  it('say whether their target is absent or live, or a real stream has the name', async () => {
    const server = await startServer()
    await setAlias(server, 'live/second', 'live/first')
    expect(await statuses(server)).to.eql(['live/second 0'])
    await publishNumbers(server, 'first')
    expect(await statuses(server)).to.eql(['live/second 1'])
    await publishNumbers(server, 'second')
    expect(await statuses(server)).to.eql(['live/second 2'])
    expect(server.problems).to.eql([])
  })

  it('are refused where they are none, and removed', async () => {
    const server = await startServer()
    await setAlias(server, 'a/b', 'live/first')
    const cases: readonly (readonly [body: unknown, status: number, message: RegExp])[] = [
      [{ alias: '', streamPath: 'live/a' }, 400, /alias/u],
      [{ streamPath: 'live/a' }, 400, /alias is missing/u],
      [{ alias: 'live/a', streamPath: 'live/a?x=1' }, 400, /no alias of itself/u],
      [{ alias: 'live/a', streamPath: '../a' }, 400, /stream path/u],
      [{ alias: 'live/none', streamPath: '' }, 404, /there is no alias live\/none/u],
    ]
    for (const [body, status, message] of cases) {
      const [found, text] = await ask(server, body)
      expect(found, JSON.stringify(body)).to.equal(status)
      expect(text).to.match(message)
    }
    expect(await ask(server, { alias: 'a/b', streamPath: '' })).to.eql([200, 'success'])
    expect(await statuses(server)).to.eql([])
  })

  it('are made by the rules of the config for who asks', async () => {
    const server = await startServer({ config: "global: { streamalias: { '^tv/(.+)$': live/$1 } }" })
    await publishNumbers(server, 'news')
    const viewer = new FlvViewer(server.http('/flv/tv/news.flv'))
    await viewer.received.wait(5)
    expect(await statuses(server)).to.eql(['tv/news 1'])
    await publishNumbers(server, 'sports')
    await setAlias(server, 'tv/news', 'live/sports')
    const [subscriber] = server.server.streams.subscribers()
    await waitFor(() => subscriber?.sourcePath === 'live/sports', { what: 'the other stream' })
    expect(subscriber).to.include({ streamPath: 'tv/news' })
  })

  it('are watched by whom the gate lets see the name, whatever their target is', async () => {
    const server = await startServer({ config: 'global: { enableauth: true, subscribe: { key: k3y } }' })
    await publishNumbers(server, 'hidden')
    await setAlias(server, 'show/open', 'live/hidden')
    const statusOf = (path: string, signed: string) =>
      new FlvViewer(server.http(`/flv/${path}.flv?${signatureQuery('k3y', signed)}`)).status
    expect(await statusOf('show/open', 'show/open')).to.equal(200)
    expect(await statusOf('show/open', 'live/hidden')).to.equal(401)
    expect(await statusOf('live/hidden', 'show/open')).to.equal(401)
  })

  it('have their target pulled from another server by RTSP for who asks for them', async () => {
    const origin = await startServer()
    await publishNumbers(origin, 'far')
    const rule = `{ '^cam/(.+)$': '${origin.rtsp('live/$1')}' }`
    const server = await startServer({ config: `rtsp: { onsub: { pull: ${rule} }, transport: tcp }` })
    await setAlias(server, 'show/far', 'cam/far')
    expect(await statuses(server)).to.eql(['show/far 0'])
    const viewers = many(3, () => new FlvViewer(server.http('/flv/show/far.flv')))
    for (const { received } of viewers) await received.wait(20)
    expect(await statuses(server)).to.eql(['show/far 1'])
    expect(origin.server.streams.subscribers('live/far')).to.have.length(1)
    expect([...origin.problems, ...server.problems]).to.eql([])
  })

  it('tell what is pulled for them their own query and that of the viewer, which wins', async () => {
    const prepare = (folder: string) => writeFile(path.join(folder, 'probe.ts'), PROBE)
    const config = 'global: { plugins_dir: . }\nprobe: { onsub: { pull: { ^cam/: "probe://host/x" } } }'
    const server = await startServer({ config, prepare })
    await setAlias(server, 'show/recorded', 'cam/1?from=5&to=9')
    const viewer = new FlvViewer(server.http('/flv/show/recorded.flv?to=7&more=x'))
    const asked = await waitFor(() => server.records.find(({ msg }) => msg === 'asked'))
    expect(asked['args']).to.eql({ from: '5', to: '7', more: 'x' })
    viewer.close()
  })

  it('outlive a server that is killed as soon as it has answered', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-data-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    await writeFile(path.join(folder, 'config.yaml'), '')
    let known: readonly unknown[] = []
    // They are read while the server starts.
    const lists = (server: ServerCommand, expected: readonly unknown[]) =>
      waitFor(async () => {
        const { data } = (await (await fetch(server.http('/api/stream/alias/list'))).json()) as { data: unknown }
        expect(data).to.eql(expected)
        return true
      })
    for (const streamPath of ['live/a', 'live/b?token=s3cret', '', 'live/c']) {
      const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
      await lists(server, known)
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ alias: 'show/main', streamPath, autoRemove: true })
      const answer = await fetch(server.http('/api/stream/alias'), { method: 'POST', headers, body })
      server.process.signal('SIGKILL')
      expect(answer.status).to.equal(200)
      await server.process.exit
      const target = { streamPath: streamPath.split('?')[0], alias: 'show/main', autoRemove: true, status: 0 }
      known = streamPath === '' ? [] : [target]
    }
    const server = await ServerCommand.start(['-c', 'config.yaml'], { cwd: folder })
    await lists(server, known)
    expect(server.process.stdout.toString()).not.to.include('s3cret')
  })
})
