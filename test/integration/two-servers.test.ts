import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { getActiveResourcesInfo } from 'node:process'
import { expect } from 'chai'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { NumberedPublisher } from '../robustness/support/numbered-publisher.ts'
import { ServerCommand } from '../support/command.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { ShowSource, ShowUnits } from '../support/show/show-source.ts'
import { watchHttp, type ShowViewer } from '../support/show/show-viewer.ts'
import { UnitWatch } from '../support/show/unit-watch.ts'
import { isSoak } from '../support/soak.ts'
import { TcpRelay } from '../support/tcp-relay.ts'

/** Viewers stay while the other server is away, however long that takes, and get all that came. */
const PATIENT = `
global:
  subscribe: { waittimeout: 10m, queuetime: 10m, queuesize: 1GB, stalltimeout: 0s }
  publish: { continuepushtimeout: 10m }
`
const AGAIN = 'maxretry: -1, retryinterval: 20ms'
const PICTURES = 100
const KILLS = isSoak ? 20 : 5
/** A program takes its time to start, so that it is one now and then; else all its connections are reset, as if it were. */
const KILLS_TO_PROGRAM = 5
/** HLS begins three target durations behind its source, so that it takes its time. */
const KILLS_TO_HLS = 5
const VIEWERS = isSoak ? 1000 : 200
/** What sockets, ports and timers are to Node, and how many may be on their way out. */
const KINDS = ['TCPSocketWrap', 'TCPServerWrap', 'UDPWrap', 'Timeout']
const IN_PASSING = 3

function resources(): number[] {
  const names = getActiveResourcesInfo()
  return KINDS.map((kind) => names.filter((name) => name === kind).length)
}

describe('two servers', function () {
  this.timeout(600_000)
  let folder: string
  let sources: readonly ShowSource[]
  let units: ShowUnits
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-two-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    sources = await Promise.all((['small', 'wide'] as const).map((name) => ShowSource.make(name, folder)))
    units = new ShowUnits(sources)
  })

  const watch = (server: RunningServer, streamPath: string, lossy = false) =>
    watchHttp(server.http(`/flv/${streamPath}.flv`), new UnitWatch({ units, lossy, apart: true }))
  const hasMore = ({ watch: { counts } }: ShowViewer, before: number, more: number) => counts.video >= before + more

  it('hand on every frame: pushed by RTSP; pulled by RTSP, on demand, and by HLS; H.264, H.265, AAC', async () => {
    const target = await startServer({ config: PATIENT })
    const push = `rtsp: { onpub: { push: { '^live/(.+)$': { url: '${target.rtsp('pushed/$1').replace('rtsp:', 'rtspt:')}', ${AGAIN} } } } }`
    const origin = await startServer({ config: `${PATIENT}\nhls: { fragment: 500ms }\n${push}` })
    for (const { name, tags, loopMs } of sources) {
      await LiveSource.start({ url: origin.rtmp(`live/${name}`), tags, loopMs })
    }
    const pulls = sources.map(({ name }) => ({
      rtsp: `rtsp/${name}: { url: '${origin.rtsp(`live/${name}`)}', ${AGAIN} }`,
      hls: ['fmp4', 'ts'].map((format) => {
        const url = origin.http(`/hls/live/${name}/index.m3u8?format=${format}`)
        return `${format}/${name}: { url: '${url}', ${AGAIN} }`
      }),
    }))
    await target.writeConfig(`${PATIENT}
rtsp:
  transport: tcp
  pull: { ${pulls.map(({ rtsp }) => rtsp).join(', ')} }
  onsub: { pull: { '^demand/(.+)$': { url: '${origin.rtsp('live/$1')}', ${AGAIN} } } }
hls:
  pull: { ${pulls.flatMap(({ hls }) => hls).join(', ')} }
`)
    const ways = ['pushed', 'rtsp', 'demand', 'fmp4', 'ts']
    const paths = sources.flatMap(({ name }) => ways.map((way) => `${way}/${name}`))
    const viewers = await Promise.all(paths.map((streamPath) => watch(target, streamPath)))
    const haveAll = () => viewers.every(({ isGone, watch: one }) => isGone() || one.counts.video >= PICTURES)
    await waitFor(haveAll, { what: 'frames by every way', timeoutMs: 120_000 })
    for (const [index, { watch: one, isGone }] of viewers.entries()) {
      const name = paths[index]!
      expect({ name, problems: one.problems, gone: isGone() }).to.eql({ name, problems: [], gone: false })
      expect(one.shown, name).to.eql([name.split('/')[1]])
      expect(one.counts.audio, name).to.be.above(PICTURES / 2)
    }
    expect([...origin.problems, ...target.problems]).to.eql([])
  })

  it(`go on when one of them is killed ${KILLS} times, and nothing is left over`, async () => {
    const own = await mkdtemp(path.join(tmpdir(), 'sluice-killed-'))
    keep({ close: () => rm(own, { recursive: true, force: true }) })
    await writeFile(path.join(own, 'config.yaml'), 'hls: { fragment: 500ms }\n')
    const env = {
      NODE_COMPILE_CACHE: path.join(own, 'cache'),
      SLUICE_FLV_ENABLE: 'false',
      SLUICE_MP4_ENABLE: 'false',
      SLUICE_HOME_ENABLE: 'false',
    }
    const [source] = sources as readonly [ShowSource, ShowSource]
    const { tags, loopMs } = source
    const startOther = async () => {
      const other = await ServerCommand.start(['-c', 'config.yaml'], { cwd: own, env })
      await LiveSource.start({ url: other.rtmp('live/in'), tags, loopMs })
      return other
    }
    let other = await startOther()
    const relays = [await TcpRelay.start(other.rtspPort), await TcpRelay.start(other.httpPort)] as const
    const address = `127.0.0.1:${relays[0].port}/live`
    const jobs = `
rtsp:
  transport: tcp
  pull: { pull/in: { url: 'rtsp://${address}/in', ${AGAIN} } }
  onsub: { pull: { '^demand/(.+)$': { url: 'rtsp://${address}/$1', ${AGAIN} } } }
  onpub: { push: { '^live/out$': { url: 'rtspt://${address}/out', ${AGAIN} } } }
hls:
  pull: { hls/in: { url: 'http://127.0.0.1:${relays[1].port}/hls/live/in/index.m3u8?format=fmp4', ${AGAIN} } }
`
    const server = await startServer({ config: PATIENT + jobs })
    const { streams } = server.server
    await LiveSource.start({ url: server.rtmp('live/out'), tags, loopMs })
    const paths = ['pull/in', 'demand/in', 'hls/in', 'live/out']
    const viewers = await Promise.all(paths.map((streamPath) => watch(server, streamPath, true)))
    const pushes = () => streams.subscribers().filter(({ request }) => request.type === 'push').length
    const isPushed = async () => {
      const answer = await fetch(other.http('/api/stream/list'))
      const { data } = (await answer.json()) as { readonly data: readonly { readonly path: string }[] }
      return data.some((stream) => stream.path === 'live/out')
    }
    /** All that is pulled goes on, and what is pushed is there. */
    const goOn = async (streamPaths: readonly string[]) => {
      const before = viewers.map(({ watch: { counts } }) => counts.video)
      const isOn = (index: number) =>
        !streamPaths.includes(paths[index]!) || hasMore(viewers[index]!, before[index]!, 5)
      const areOn = () => viewers.every((_, index) => isOn(index))
      await waitFor(async () => areOn() && isPushed(), { what: streamPaths.join(', '), timeoutMs: 120_000 })
    }
    const kill = async () => {
      other.process.signal('SIGKILL')
      await other.process.exit
    }
    const follow = (next: ServerCommand) => {
      other = next
      relays[0].target = next.rtspPort
      relays[1].target = next.httpPort
    }
    await goOn(paths)
    // Nobody is there for as long as a program takes to start; later the next one stands by.
    await kill()
    follow(await startOther())
    await goOn(paths)
    const before = resources()
    for (let count = 1; count <= KILLS; count++) {
      if (count % KILLS_TO_PROGRAM === 0) {
        const next = await startOther()
        await kill()
        follow(next)
      } else for (const relay of relays) relay.kill()
      await goOn(count % KILLS_TO_HLS === 0 ? paths : paths.filter((streamPath) => streamPath !== 'hls/in'))
    }
    for (const [index, { watch: one, isGone }] of viewers.entries()) {
      const name = paths[index]
      expect({ name, problems: one.problems, gone: isGone() }).to.eql({ name, problems: [], gone: false })
      expect(one.shown, name).to.eql([source.name])
    }
    const hasNoMore = () => resources().every((count, index) => count <= before[index]! + IN_PASSING)
    await waitFor(hasNoMore, { what: `${KINDS.join(', ')} to be ${before.join(', ')} again` })
    expect(pushes()).to.equal(1)
    expect(streams.list().map((stream) => stream.path)).to.have.members(paths)
    await server.writeConfig(PATIENT)
    await waitFor(() => pushes() === 0 && streams.list().length === 1, { what: 'what the rules had begun to end' })
    await waitFor(async () => !(await isPushed()), { what: 'the target to be left' })
    for (const { close } of viewers) close()
    await waitFor(() => streams.subscribers().length === 0, { what: 'the viewers to have left' })
  })

  it(`have one pull for ${VIEWERS} viewers who ask at once`, async () => {
    const origin = await startServer()
    await NumberedPublisher.start({ port: origin.rtmpPort, name: 'far', fps: 10, sizeBytes: 100 })
    const rule = `{ '^cam/(.+)$': '${origin.rtsp('live/$1')}' }`
    const server = await startServer({ config: `rtsp: { onsub: { pull: ${rule} }, transport: tcp }` })
    const viewers = Array.from({ length: VIEWERS }, () => new FlvViewer(server.http('/flv/cam/far.flv')))
    const statuses = await Promise.all(viewers.map(({ status }) => status))
    expect(new Set(statuses)).to.eql(new Set([200]))
    await waitFor(() => viewers.every(({ received }) => received.frames.length > 2), { timeoutMs: 120_000 })
    const described = (records: RunningServer['records']) =>
      records.filter(({ plugin, msg }) => plugin === 'rtsp' && msg === 'play').length
    expect(described(origin.records)).to.equal(1)
    expect(origin.server.streams.subscribers('live/far')).to.have.length(1)
    expect(server.server.streams.subscribers('cam/far')).to.have.length(VIEWERS)
    for (const viewer of viewers) viewer.close()
  })
})
