import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { FLV_TAG_TYPE, serializeFlvFileHeader, serializeFlvTag } from 'sluice/sdk/media'
import type { Dialer } from 'sluice/sdk'
import { createFakeHost, directDialer, LogRecords, pullRequest } from 'sluice/sdk/testing'
import { FlvPull } from '../../plugins/flv/pull/flv-pull.ts'
import { publish } from '../peers/ffmpeg.ts'
import { freePort } from '../peers/free-port.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource } from '../support/enhanced-source.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable, FlvFrames, fromFirstKeyframe, type ReceivedFrame } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { LiveSource } from '../support/live-source.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const WAYS = ['http', 'ws'] as const
const PATIENT = 'waittimeout=60s'

/** Pulls what the first server has, under the same path. */
function pulling(source: RunningServer, way: (typeof WAYS)[number], rule = ''): string {
  return `flv: { onsub: { pull: { '^live/(.+)$': { url: '${source[way]('/flv/live/$1.flv')}?${PATIENT}', ${rule} } } } }`
}

describe('pull of FLV from another server', () => {
  let first: RunningServer

  before(async function () {
    requirePeer(this, 'ffmpeg')
    first = await startServer({ env: { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0' } })
  })

  for (const way of WAYS) {
    it(`gives every frame with its time, by ${way}`, async () => {
      const source = await makeFlvFile(path.join(first.folder, `${way}.flv`), { video: { bFrames: 2 } })
      await expectAll(way, `plain-${way}`, source)
    })

    it(`gives every frame of enhanced FLV, by ${way}`, async () => {
      const folder = first.folder
      const [hevc, opus] = [
        await makeEnhancedSource(path.join(folder, `${way}-hevc.mp4`), 'hvc1'),
        await makeEnhancedSource(path.join(folder, `${way}-opus.mp4`), 'Opus'),
      ]
      const tags = enhancedTags([hevc, opus])
      const frames = new FlvFrames()
      for (const tag of tags) frames.push(tag)
      await expectAll(way, `enhanced-${way}`, { tags, frames: fromFirstKeyframe(frames.frames) })
    })
  }

  async function expectAll(way: (typeof WAYS)[number], name: string, source: FlvFile): Promise<void> {
    const second = await startServer({ config: pulling(first, way) })
    const viewer = new FlvViewer(second.http(`/flv/live/${name}.flv?${PATIENT}`))
    await waitFor(() => first.server.streams.subscribers(`live/${name}`).length === 1, { what: 'the pull' })
    const publisher = await RtmpClient.publish({ url: first.rtmp(`live/${name}`) })
    for (const tag of source.tags) publisher.send(tag)
    const frames = await viewer.received.wait(source.frames.length)
    expect(comparable(frames)).to.eql(comparable(source.frames))
    const [info] = ((await second.api('/api/stream/list')).body.data ?? []) as { type: string; pluginName: string }[]
    expect(info).to.deep.include({ type: 'pull', pluginName: 'flv' })
    expect(second.problems).to.eql([])
    publisher.close()
    viewer.close()
    await second.stop()
  }

  for (const way of WAYS) {
    it(`goes on for its viewers when the source was gone 20 times, by ${way}`, async () => {
      const { tags } = await makeFlvFile(path.join(first.folder, `back-${way}.flv`), { durationSeconds: 1 })
      const rule = 'maxretry: -1, retryinterval: 20ms'
      const second = await startServer({ config: pulling(first, way, rule) })
      const streamPath = `live/back-${way}`
      const viewer = new FlvViewer(second.http(`/flv/${streamPath}.flv?${PATIENT}`))
      for (let round = 0; round < 20; round++) {
        const source = await LiveSource.start({ url: first.rtmp(streamPath), tags, loopMs: 1000 })
        await viewer.received.wait(viewer.received.frames.length + 10)
        source.close()
        await waitFor(() => first.server.streams.get(streamPath)?.publisher === undefined, { what: 'the source to go' })
        for (const subscriber of first.server.streams.subscribers(streamPath)) subscriber.close('cut by the test')
      }
      expectForward(viewer.received.frames)
      viewer.close()
      await waitFor(() => second.server.streams.list().length === 0, { what: 'the end of the pull' })
      await waitFor(() => first.server.streams.subscribers(streamPath).length === 0, { what: 'the last connection' })
      await second.stop()
    })
  }

  it('takes what ffmpeg serves', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/a.flv`
    const source = publish({ url, format: 'flv', durationSeconds: 60, output: ['-listen', '1'] })
    const rule = `{ url: '${url}', maxretry: -1, retryinterval: 50ms }`
    const second = await startServer({ config: `flv: { pull: { live/a: ${rule} } }` })
    const viewer = new FlvViewer(second.http(`/flv/live/a.flv?${PATIENT}`))
    const frames = await viewer.received.wait(100)
    expect(new Set(frames.map(({ codec }) => codec))).to.eql(new Set(['h264', 'aac']))
    expectForward(frames)
    viewer.close()
    await second.stop()
    source.signal('SIGKILL')
    await source.exit
  })

  for (const scheme of ['https', 'wss']) {
    it(`comes over TLS, by ${scheme}, from who has a certificate that is trusted`, async () => {
      const { tags } = await makeFlvFile(path.join(first.folder, `${scheme}.flv`), { durationSeconds: 1 })
      const source = await LiveSource.start({ url: first.rtmp(`live/${scheme}`), tags, loopMs: 1000 })
      const host = await createFakeHost({ name: 'flv', version: '1.0.0', setup: () => {} })
      const stop = new AbortController()
      const run = (dial: Dialer) => {
        const url = `${scheme}://127.0.0.1:${first.httpsPort}/flv/live/${scheme}.flv`
        const request = pullRequest({ streamPath: 'live/a', url, dial, signal: stop.signal })
        const { logger: log } = new LogRecords('flv')
        return new FlvPull({ streams: host.streams, log, request }).run().then(JSON.stringify, String)
      }
      expect(await run(directDialer)).to.match(/can't fetch .*self-signed/u)
      const end = run({
        ...directDialer,
        connect: ({ tls, ...target }) =>
          directDialer.connect({ ...target, ...(tls && { tls: { ...tls, verifyCertificate: false } }) }),
      })
      await waitFor(() => (host.streams.publishers[0]?.units.length ?? 0) > 20, { what: 'units' })
      stop.abort()
      await end
      source.close()
      await host.dispose()
    })
  }

  it('is tried again where a source sends next to nothing, and shows no secret', async () => {
    const { tags } = await makeFlvFile(path.join(first.folder, 'slow.flv'), { durationSeconds: 1 })
    const start = Buffer.concat([
      serializeFlvFileHeader({ audio: true, video: true }),
      ...tags.slice(0, 20).map(({ type, timestampMs, body }) => serializeFlvTag(type, timestampMs, [body])),
    ])
    let requests = 0
    const web = createServer((_, response) => {
      requests++
      response.write(start)
      const timer = setInterval(() => response.write(Buffer.alloc(1, FLV_TAG_TYPE.video)), 100)
      response.on('close', () => clearInterval(timer))
    })
    keep({ close: () => void web.closeAllConnections() })
    await once(web.listen(0, '127.0.0.1'), 'listening')
    const url = `http://me:pa55word@127.0.0.1:${(web.address() as AddressInfo).port}/a.flv?token=s3cret`
    const rule = `{ url: '${url}', maxretry: 2, retryinterval: 20ms, header: { X-Key: h34der } }`
    const second = await startServer({
      config: `flv: { publish: { publishtimeout: 300ms }, pull: { live/slow: ${rule} } }`,
    })
    const failures = () => second.records.filter(({ msg }) => msg === 'the pull failed: no media came')
    await waitFor(() => failures().length >= 2, { what: 'two tries' })
    const shown = await Promise.all(
      ['/api/sysinfo', '/api/stream/list', '/api/stream/progress/live/slow'].map((route) => second.api(route)),
    )
    expect(requests).to.be.at.least(2)
    expect(JSON.stringify([second.records, shown.map(({ body }) => body)])).not.to.match(/pa55word|s3cret|h34der/u)
    web.closeAllConnections()
    web.close()
    await second.stop()
  })

  /** Of each kind, no time goes back. */
  function expectForward(frames: readonly ReceivedFrame[]): void {
    for (const kind of ['video', 'audio'] as const) {
      const times = frames.filter((frame) => frame.kind === kind).map(({ dtsMs }) => dtsMs)
      expect(times).to.eql(times.toSorted((a, b) => a - b))
    }
  }
})
