import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import type { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { FileServer } from '../support/file-server.ts'
import type { ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const MANY_SECONDS = 60
const FRAME_MS = 40

const videoOf = (frames: readonly ReceivedFrame[]) => frames.filter(({ kind }) => kind === 'video')

/** Pictures at their pace, with none missing. */
function expectGapless(frames: readonly ReceivedFrame[]): void {
  const video = videoOf(frames)
  expect(video.length).to.be.greaterThan(20)
  for (const [index, { dtsMs }] of video.slice(1).entries())
    expect(dtsMs - video[index]!.dtsMs).to.be.closeTo(FRAME_MS, 2)
}

async function end(source: PeerProcess): Promise<void> {
  source.signal('SIGKILL')
  await source.exit
}

describe('pull of live HLS', () => {
  let folder: string
  let web: FileServer

  before(function () {
    requirePeer(this, 'ffmpeg')
  })
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
    web = await FileServer.start(folder)
  })
  afterEach(async () => {
    web.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** ffmpeg writes a live playlist of eight segments of a second; resolves when it is there. */
  async function startSource(output: readonly string[] = []) {
    const url = path.join(folder, 'live.m3u8')
    const live = ['-hls_time', '1', '-hls_list_size', '8', '-hls_flags', 'delete_segments+temp_file']
    const source = publish({ url, format: 'hls', durationSeconds: MANY_SECONDS, output: [...live, ...output] })
    await waitFor(async () => (await fetch(web.url('live.m3u8'))).ok)
    return source
  }

  function start(hls: string): Promise<RunningServer> {
    return startServer({ config: `hls: { ${hls} }` })
  }

  for (const [name, output] of [
    ['MPEG-TS', []],
    ['fMP4', ['-hls_segment_type', 'fmp4']],
  ] as const) {
    it(`follows ${name} as it grows, without losing a frame`, async () => {
      const source = await startSource(output)
      const server = await start(`pull: { live/a: '${web.url('live.m3u8')}' }`)
      const viewer = new FlvViewer(server.http('/flv/live/a.flv'))
      expectGapless(await viewer.received.wait(250))
      expect(server.problems).to.eql([])
      viewer.close()
      await server.stop()
      await end(source)
    })
  }

  it('is published again when its source was gone and has come back', async () => {
    const source = await startSource()
    const rule = `{ url: '${web.url('live.m3u8')}', maxretry: -1, retryinterval: 200ms }`
    const server = await start(`publish: { publishtimeout: 1s }, pull: { live/a: ${rule} }`)
    const viewer = new FlvViewer(server.http('/flv/live/a.flv?waittimeout=60s'))
    const before = (await viewer.received.wait(50)).length
    web.down = true
    await waitFor(() => server.server.streams.get('live/a') === undefined)
    await waitFor(() => server.records.filter(({ msg }) => msg.startsWith('the pull failed')).length >= 3)
    web.down = false
    const frames = await viewer.received.wait(before + 100)
    const times = videoOf(frames).map(({ dtsMs }) => dtsMs)
    expect(times).to.eql(times.toSorted((a, b) => a - b))
    viewer.close()
    await server.stop()
    await end(source)
  })

  it('goes on with a source that begins anew', async () => {
    const first = await startSource()
    const server = await start(`pull: { live/a: '${web.url('live.m3u8')}' }`)
    const viewer = new FlvViewer(server.http('/flv/live/a.flv?waittimeout=60s'))
    const before = (await viewer.received.wait(150)).length
    await end(first)
    const second = await startSource()
    const frames = await viewer.received.wait(before + 150)
    const times = videoOf(frames).map(({ dtsMs }) => dtsMs)
    expect(times).to.eql(times.toSorted((a, b) => a - b))
    viewer.close()
    await server.stop()
    await end(second)
  })

  it('is pulled for a subscriber, and no longer when there is none', async () => {
    const source = await startSource()
    const rules = `onsub: { pull: { '^on/(.+)$': '${web.url('$1.m3u8?path=$0')}' } }`
    const server = await start(`${rules}, publish: { delayclosetimeout: 300ms }`)
    expect(server.server.streams.list()).to.eql([])
    const viewers = [1, 2].map(() => new FlvViewer(server.http('/flv/on/live.flv')))
    for (const viewer of viewers) await viewer.received.wait(20)
    const [info] = ((await server.api('/api/stream/list')).body.data ?? []) as { type: string; pluginName: string }[]
    expect(info).to.deep.include({ type: 'pull', pluginName: 'hls' })
    expect(web.requests.some(({ url }) => url === '/live.m3u8?path=on/live')).to.equal(true)
    for (const viewer of viewers) viewer.close()
    await waitFor(() => server.server.streams.get('on/live') === undefined)
    const again = new FlvViewer(server.http('/flv/on/live.flv'))
    await again.received.wait(20)
    again.close()
    await server.stop()
    await end(source)
  })

  it('takes what this server itself serves', async () => {
    const server = await start('')
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
