import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { keep } from '../peers/lifetime.ts'
import type { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FileServer } from '../support/file-server.ts'
import type { ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const MANY_SECONDS = 600
const FRAME_MS = 40

const videoOf = (frames: readonly ReceivedFrame[]) => frames.filter(({ kind }) => kind === 'video')

/** Pictures at their pace, with none missing. */
function expectGapless(frames: readonly ReceivedFrame[]): void {
  const video = videoOf(frames)
  expect(video.length).to.be.greaterThan(20)
  for (const [index, { dtsMs }] of video.slice(1).entries())
    expect(dtsMs - video[index]!.dtsMs).to.be.closeTo(FRAME_MS, 2)
}

function expectInOrder(frames: readonly ReceivedFrame[]): void {
  const times = videoOf(frames).map(({ dtsMs }) => dtsMs)
  expect(times).to.eql(times.toSorted((a, b) => a - b))
}

/** A live playlist that ffmpeg writes, and the web server that it lies on. */
class LivePlaylist {
  readonly web: FileServer
  readonly #folder: string

  private constructor(web: FileServer, folder: string) {
    this.web = web
    this.#folder = folder
  }

  static async start(): Promise<LivePlaylist> {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    keep({ close: () => rm(folder, { recursive: true, force: true }) })
    return new LivePlaylist(await FileServer.start(folder), folder)
  }

  get url(): string {
    return this.web.url('live.m3u8')
  }

  /** ffmpeg writes eight segments of a second; resolves when they are there to be asked for. */
  async write(output: readonly string[] = []): Promise<PeerProcess> {
    const url = path.join(this.#folder, 'live.m3u8')
    const live = ['-hls_time', '1', '-hls_list_size', '8', '-hls_flags', 'delete_segments+temp_file']
    const source = publish({ url, format: 'hls', durationSeconds: MANY_SECONDS, output: [...live, ...output] })
    await waitFor(async () => (await fetch(this.url)).ok)
    return source
  }
}

async function end(source: PeerProcess): Promise<void> {
  source.signal('SIGKILL')
  await source.exit
}

function start(hls: string): Promise<RunningServer> {
  return startServer({ config: `hls: { ${hls} }` })
}

async function follow(output: readonly string[]): Promise<void> {
  const playlist = await LivePlaylist.start()
  const source = await playlist.write(output)
  const server = await start(`pull: { live/a: '${playlist.url}' }`)
  const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
  expectGapless(await viewer.received.wait(250))
  expect(server.problems).to.eql([])
  viewer.close()
  await server.stop()
  await end(source)
}

/** Is pulled for a subscriber, and no longer when there is none. */
async function pullOnDemand(): Promise<void> {
  const playlist = await LivePlaylist.start()
  const source = await playlist.write()
  const rules = `onsub: { pull: { '^on/(.+)$': '${playlist.web.url('$1.m3u8?path=$0')}' } }`
  const server = await start(`${rules}, publish: { delayclosetimeout: 300ms }`)
  expect(server.server.streams.list()).to.eql([])
  const viewers = [1, 2].map(() => new FlvViewer(server.http('/flv/on/live.flv')))
  for (const viewer of viewers) await viewer.received.wait(20)
  const [info] = ((await server.api('/api/stream/list')).body.data ?? []) as { type: string; pluginName: string }[]
  expect(info).to.deep.include({ type: 'pull', pluginName: 'hls' })
  expect(playlist.web.requests.some(({ url }) => url === '/live.m3u8?path=on/live')).to.equal(true)
  for (const viewer of viewers) viewer.close()
  await waitFor(() => server.server.streams.get('on/live') === undefined)
  const again = new FlvViewer(server.http('/flv/on/live.flv'))
  await again.received.wait(20)
  again.close()
  await server.stop()
  await end(source)
}

/** Is published again when its source was gone and has come back. */
async function comeBack(): Promise<void> {
  const playlist = await LivePlaylist.start()
  const source = await playlist.write()
  const rule = `{ url: '${playlist.url}', maxretry: -1, retryinterval: 200ms }`
  const server = await start(`publish: { publishtimeout: 3s }, pull: { live/a: ${rule} }`)
  const viewer = new FlvViewer(server.http('/flv/live/a.flv?waittimeout=60s'))
  const before = (await viewer.received.wait(50)).length
  playlist.web.down = true
  await waitFor(() => server.server.streams.get('live/a') === undefined)
  await waitFor(() => server.records.filter(({ msg }) => msg.startsWith('the pull failed')).length >= 3)
  playlist.web.down = false
  expectInOrder(await viewer.received.wait(before + 100))
  viewer.close()
  await server.stop()
  await end(source)
}

async function beginAnew(): Promise<void> {
  const playlist = await LivePlaylist.start()
  const first = await playlist.write()
  const server = await start(`pull: { live/a: '${playlist.url}' }`)
  const viewer = new FlvViewer(server.http('/flv/live/a.flv?waittimeout=60s'))
  const before = (await viewer.received.wait(150)).length
  await end(first)
  const second = await playlist.write()
  expectInOrder(await viewer.received.wait(before + 150))
  viewer.close()
  await server.stop()
  await end(second)
}

describe('pull of live HLS', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  it('follows MPEG-TS and fMP4 as they grow, without losing a frame, and for a subscriber only', () =>
    Promise.all([follow([]), follow(['-hls_segment_type', 'fmp4']), pullOnDemand()]))

  it('goes on when its source was gone and has come back, and when it begins anew', () =>
    Promise.all([comeBack(), beginAnew()]))

  it('takes what this server itself serves', async () => {
    const server = await start('fragment: 1s')
    const source = publish({ url: server.rtmp('live/a'), durationSeconds: MANY_SECONDS })
    await waitFor(() => server.server.streams.get('live/a') !== undefined)
    for (const format of ['llhls', 'fmp4', 'ts']) {
      const remoteURL = server.http(`/hls/live/a/index.m3u8?format=${format}`)
      const body = JSON.stringify({ remoteURL, streamPath: `copy/${format}` })
      const headers = { 'content-type': 'application/json' }
      expect((await server.api('/api/stream/pull', { method: 'POST', headers, body })).body.code).to.equal(0)
    }
    const viewers = ['llhls', 'fmp4', 'ts'].map((format) => new FlvViewer(server.http(`/flv/copy/${format}.flv`)))
    for (const viewer of viewers) {
      expectGapless(await viewer.received.wait(150))
      viewer.close()
    }
    await server.stop()
    await end(source)
  })
})
