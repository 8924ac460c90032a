import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { LiveSource } from '../support/live-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { watchHls } from '../support/show/show-hls-viewer.ts'
import { watchRtsp } from '../support/show/show-rtsp-viewer.ts'
import { ShowSource, ShowUnits, type ShowName } from '../support/show/show-source.ts'
import { watchHttp, watchRtmp, type ShowViewer } from '../support/show/show-viewer.ts'
import { UnitWatch } from '../support/show/unit-watch.ts'

const SWITCHES = 100
const VIEWERS = 50
/** Viewers of HLS without low latency are waited for now and then. */
const SWITCHES_TO_SEGMENTS = 20
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
      Object.keys(sources).map((name) => watchHttp(server.http(`/flv/live/${name}.flv`), new UnitWatch({ units }))),
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

  after(() => expect(server?.problems).to.eql([]))
})
