import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { makeFlvFile, type FlvFile } from '../support/flv-file.ts'
import { comparable } from '../support/flv-frames.ts'
import { FlvViewer } from '../support/flv-viewer.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const TLS = { SLUICE_GLOBAL_HTTP_LISTENADDRTLS: '127.0.0.1:0' }

describe('HTTP-FLV and WS-FLV', () => {
  let server: RunningServer
  let source: FlvFile
  let publisher: RtmpClient
  let pictures: FlvFile['frames']
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ env: TLS })
    source = await makeFlvFile(path.join(server.folder, 'source.flv'), { video: { gopFrames: 20 } })
    publisher = await RtmpClient.publish({ url: server.rtmp('live/running') })
    for (const tag of source.tags) publisher.send(tag)
    const { frames } = source
    pictures = frames.slice(frames.findLastIndex(({ kind, keyframe }) => kind === 'video' && keyframe))
    const taken = () => server.server.streams.get('live/running')?.publisher?.timeline.lastMs
    await waitFor(() => (taken() ?? 0) >= Math.max(...frames.map(({ dtsMs }) => dtsMs)))
  })

  function addresses(target: string): string[] {
    const secure = `127.0.0.1:${server.httpsPort}`
    return [server.http(target), `https://${secure}${target}`, server.ws(target), `wss://${secure}${target}`]
  }

  it('begin with the newest keyframe for who comes late, by each way and address', async () => {
    const tookMs: number[] = []
    for (const target of ['/flv/live/running.flv', '/flv/live/running', '/hdl/live/running.flv', '/hdl/live/running']) {
      for (const url of addresses(target)) {
        const startMs = performance.now()
        const viewer = new FlvViewer(url)
        const [first] = await viewer.received.wait(1)
        tookMs.push(performance.now() - startMs)
        expect(first, url).to.include({ kind: 'video', keyframe: true })
        expect(comparable(await viewer.received.wait(pictures.length)), url).to.eql(comparable(pictures))
        expect(viewer.received.metadata, url).to.have.length(1)
        expect(viewer.received.sequenceHeaders, url).to.have.length(2)
        viewer.close()
      }
    }
    process.stdout.write(`    first frame within ${Math.max(...tookMs).toFixed(0)} ms\n`)
  })

  it('by RTMP, too', async () => {
    const player = await RtmpClient.play({ url: server.rtmp('live/running') })
    expect(comparable(await player.received.wait(pictures.length))).to.eql(comparable(pictures))
  })

  it('say what they are', async () => {
    const viewer = new FlvViewer(server.http('/flv/live/running.flv'))
    expect(await viewer.status).to.equal(200)
    expect(await viewer.headers).to.include({ 'content-type': 'video/x-flv', 'access-control-allow-origin': '*' })
  })

  it('answer HEAD with the headers alone, and keep no subscriber', async () => {
    const request = http.request(server.http('/flv/live/running.flv'), { method: 'HEAD' }).end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(response.statusCode).to.equal(200)
    expect(response.headers['content-type']).to.equal('video/x-flv')
    expect(await response.toArray()).to.eql([])
    await waitFor(() => server.server.streams.subscribers('live/running').length === 0)
  })

  it('answer 404 where no publisher comes in time', async () => {
    const viewers = addresses('/flv/live/nobody.flv?waittimeout=100ms').map((url) => new FlvViewer(url))
    expect(await Promise.all(viewers.map(({ status }) => status))).to.eql([404, 404, 404, 404])
    await Promise.all(viewers.map(({ ended }) => ended))
    expect(server.server.streams.pathCount).to.equal(1)
  })

  it('end when the stream is stopped and nobody comes back', async () => {
    const target = 'live/ending'
    const first = await RtmpClient.publish({ url: server.rtmp(target) })
    for (const tag of source.tags) first.send(tag)
    const viewers = [server.http(`/flv/${target}.flv`), server.ws(`/flv/${target}.flv`)].map(
      (url) => new FlvViewer(`${url}?waittimeout=1s`),
    )
    for (const { received } of viewers) await received.wait(1)
    first.close()
    for (const { ended } of viewers) await ended
    expect(server.server.streams.subscribers(target)).to.eql([])
  })

  it('take no part in a path outside their own', async () => {
    const answers = await Promise.all(['/flv', '/flv/', '/hdl/'].map((url) => fetch(server.http(url))))
    expect(answers.map(({ status }) => status)).to.eql([400, 400, 400])
  })

  after(() => expect(server?.problems).to.eql([]))
})
