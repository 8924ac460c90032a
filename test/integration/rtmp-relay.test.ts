import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { AccessUnit, StreamManager } from 'sluice/sdk'
import { makeTestFile } from '../peers/ffmpeg.ts'
import { freePort } from '../peers/free-port.ts'
import { startNginxRtmp } from '../peers/nginx-rtmp.ts'
import { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { enhancedTags, makeEnhancedSource, type EnhancedSource } from '../support/enhanced-source.ts'
import type { EnhancedCodec } from '../support/enhanced-tags.ts'
import { md5 } from '../support/flv-frames.ts'
import { RtmpClient } from '../support/rtmp-client.ts'
import {
  askForPull,
  askForPush,
  publishScripted,
  SOURCE_PATH,
  startRtmpServer,
  type RtmpServer,
} from '../support/rtmp/client-jobs.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'

const FOREVER = { maxretry: -1, retryinterval: '20ms' }
const BOTH_PORTS = { listenaddr: '127.0.0.1:0', listenaddrtls: '127.0.0.1:0' }

const PATH = SOURCE_PATH

function start(config: Record<string, unknown> = {}): Promise<RtmpServer> {
  return startRtmpServer({ subscribe: { waittrack: 'all' }, ...config })
}

/** The sources begin at 1000 ms, and have a keyframe a second. */
const LEAD_MS = 1500

/** Who waits for the next publisher when the stream has ended does not wait long. */
const LEAVING_SOON = { waittrack: 'all', waittimeout: '500ms' }

/** What counts of a unit, its time from the first one on. */
function shown(units: readonly AccessUnit[]): string[] {
  const first = units.find(({ track }) => track.kind === 'video') ?? units[0]
  const startMs = first === undefined ? 0 : (first.dts * 1000) / first.track.timescale
  return units.map(({ track, dts, pts, keyframe, data }) => {
    const ms = (ticks: number) => Math.round((ticks * 1000) / track.timescale)
    return [track.codec, track.layer ?? '', ms(dts) - startMs, ms(pts - dts), keyframe, data.toString('base64')].join()
  })
}

async function hasTracks(streams: StreamManager, streamPath: string, count: number): Promise<void> {
  await waitFor(() => streams.get(streamPath)?.tracks.length === count, { what: `${count} tracks of ${streamPath}` })
}

describe('from one server to another by RTMP', () => {
  let folder: string
  before(async function () {
    requirePeer(this, 'ffmpeg')
    folder = await mkdtemp(path.join(tmpdir(), 'sluice-'))
  })
  after(async () => {
    if (folder) await rm(folder, { recursive: true })
  })

  const pairs: readonly (readonly [what: string, ...codecs: (readonly [EnhancedCodec, number?])[]])[] = [
    ['H.264 with B-frames and AAC', ['avc1'], ['mp4a']],
    ['H.265 with B-frames and Opus', ['hvc1'], ['Opus']],
    ['AV1 and AAC', ['av01'], ['mp4a']],
    ['VP9 and Opus', ['vp09'], ['Opus']],
    ['several tracks of a kind', ['avc1'], ['hvc1', 7], ['mp4a'], ['Opus', 2]],
  ]
  for (const [what, ...codecs] of pairs) {
    it(`come every frame and its time: ${what}`, async () => {
      const sources: EnhancedSource[] = []
      for (const [codec, trackId] of codecs) {
        const source = await makeEnhancedSource(path.join(folder, `${codec}.mp4`), codec)
        sources.push(trackId === undefined ? source : { ...source, trackId })
      }
      const server = await start()
      const pushed = await start({ tcp: BOTH_PORTS })
      const origin = `rtmp://127.0.0.1:${server.port()}/${PATH}`
      const pulled = await start({ pull: { 'live/pulled': { url: origin, ...FOREVER } } })
      const publisher = await RtmpClient.publish({ url: origin, multitrack: true })
      const tags = enhancedTags(sources)
      // Who comes late begins with the newest keyframe, which is the first one up to here.
      const lead = tags.findIndex(({ timestampMs }) => timestampMs > LEAD_MS)
      for (const tag of tags.slice(0, lead)) publisher.send(tag)
      await hasTracks(server.streams, PATH, sources.length)
      await askForPush(server, `rtmp://127.0.0.1:${pushed.port()}/live/pushed`).begun
      await hasTracks(pushed.streams, 'live/pushed', sources.length)
      await hasTracks(pulled.streams, 'live/pulled', sources.length)
      const reference = await ReceivedUnits.of(server.streams, PATH)
      const received = [
        await ReceivedUnits.of(pushed.streams, 'live/pushed'),
        await ReceivedUnits.of(pulled.streams, 'live/pulled'),
      ]
      for (const tag of tags.slice(lead)) publisher.send(tag)
      const count = sources.reduce((sum, { stream }) => sum + stream.packets.length, 0)
      await waitFor(() => [reference, ...received].every(({ units }) => units.length === count), { what: 'all frames' })
      for (const { units } of received) expect(shown(units)).to.eql(shown(reference.units))
      expect(
        [server, pushed, pulled].flatMap(({ problems }) => problems).filter(({ msg }) => !/failed/u.test(msg)),
      ).to.eql([])
    })
  }

  it('comes all by RTMPS, where the certificate is trusted or need not be', async () => {
    const target = await start({ tcp: BOTH_PORTS })
    const trusting = await start({ tcp: BOTH_PORTS, verifycertificate: false })
    const strict = await start()
    for (const server of [trusting, strict]) await publishScripted(server)
    const url = `rtmps://127.0.0.1:${target.port('tls')}/live/secured`
    await askForPush(trusting, url).begun
    await hasTracks(target.streams, 'live/secured', 2)
    expect(await askForPush(strict, url).result)
      .to.be.an('error')
      .with.property('message')
      .that.matches(/self-signed certificate/u)
    expect(await askForPull(strict, url).result)
      .to.be.an('error')
      .with.property('message')
      .that.matches(/self-signed certificate/u)
  })

  describe('by way of programs of others', () => {
    let video: EnhancedSource
    let sources: readonly EnhancedSource[]
    before(async () => {
      video = await makeEnhancedSource(path.join(folder, 'avc1.mp4'), 'avc1')
      sources = [video, await makeEnhancedSource(path.join(folder, 'mp4a.mp4'), 'mp4a')]
    })

    /** A stream that goes on as far as the test lets it. */
    async function publishStepwise(server: RtmpServer) {
      const client = await RtmpClient.publish({ url: `rtmp://127.0.0.1:${server.port()}/${PATH}` })
      let rest = enhancedTags(sources)
      const sendUntil = (endMs: number) => {
        const later = rest.filter(({ timestampMs }) => timestampMs > endMs)
        for (const tag of rest.slice(0, rest.length - later.length)) client.send(tag)
        rest = later
      }
      sendUntil(LEAD_MS)
      await hasTracks(server.streams, PATH, 2)
      return { sendUntil, close: () => client.close() }
    }

    it('reaches ffmpeg, every frame', async () => {
      const server = await start({ subscribe: LEAVING_SOON })
      const port = await freePort()
      const target = `rtmp://127.0.0.1:${port}/live/x`
      const options = ['-v', 'error', '-nostdin', '-listen', '1', '-f', 'flv', '-i', target]
      const listening = new PeerProcess('ffmpeg', [...options, '-map', '0:v', '-c', 'copy', '-f', 'framemd5', '-'])
      const publisher = await publishStepwise(server)
      // Nobody can ask whether ffmpeg listens: it takes one connection only.
      await waitFor(async () => {
        const { begun, result } = askForPush(server, target)
        return Promise.race([begun.then(() => true), result.then(() => false)])
      })
      publisher.sendUntil(Infinity)
      publisher.close()
      // To ffmpeg each end of a connection is an error, so it does not say that all went well.
      await listening.exit
      const lines = listening.stdout.toString().split('\n')
      const frames = lines.filter((line) => line !== '' && !line.startsWith('#'))
      const received = frames.map((line) => line.split(',').at(-1)?.trim())
      expect(received).to.eql(video.stream.packets.map(({ data }) => md5(data)))
    })

    it('goes through nginx, every frame', async function () {
      requirePeer(this, 'nginx-rtmp')
      const { port } = await startNginxRtmp(folder)
      const server = await start({ subscribe: LEAVING_SOON })
      const edge = await start()
      const publisher = await publishStepwise(server)
      const reference = await ReceivedUnits.of(server.streams, PATH)
      const url = `rtmp://127.0.0.1:${port}/live/through`
      await askForPush(server, url).begun
      const ended = askForPull(edge, url)
      await waitFor(() => edge.streams.get(PATH) !== undefined)
      // nginx keeps nothing: it sends what comes from here on.
      publisher.sendUntil(LEAD_MS + 1000)
      await hasTracks(edge.streams, PATH, 2)
      const received = await ReceivedUnits.of(edge.streams, PATH)
      publisher.sendUntil(Infinity)
      const last = () => reference.units.at(-1)!.data
      await waitFor(() => received.units.at(-1)?.data.equals(last()), { what: 'the last frame' })
      publisher.close()
      expect(await ended.result)
        .to.be.an('error')
        .with.property('message', 'the source has ended')
      expect(received.units.length).to.be.greaterThan(reference.units.length / 3)
      const from = reference.units.findIndex(({ data }) => data.equals(received.units[0]!.data))
      expect(shown(received.units)).to.eql(shown(reference.units.slice(from)))
    })

    it("ends with nginx's recordings, and repeats them", async function () {
      requirePeer(this, 'nginx-rtmp')
      await makeTestFile({ url: path.join(folder, 'clip.flv'), format: 'flv', durationSeconds: 2 })
      const { port } = await startNginxRtmp(folder)
      const edge = await start()
      const received = ReceivedUnits.of(edge.streams, PATH)
      expect(await askForPull(edge, `rtmp://127.0.0.1:${port}/vod/clip.flv`, { loop: 1 }).result).to.eql({
        by: 'source',
      })
      const { units } = await received
      const pictures = units.filter(({ track }) => track.kind === 'video')
      expect(pictures.length).to.equal(2 * 50)
      const times = pictures.map(({ dts }) => dts)
      expect(times).to.eql(times.toSorted((a, b) => a - b))
    })
  })
})
