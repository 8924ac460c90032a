import { networkInterfaces } from 'node:os'
import { expect } from 'chai'
import { publish } from '../peers/ffmpeg.ts'
import { ffprobeFrames } from '../peers/ffmpeg-rtsp.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { numberedPictures } from '../support/picture-clock.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { TcpRelay } from '../support/tcp-relay.ts'

/** Of both kinds: Opus has twice as many. */
const PACKETS = 150
const PICTURES = 30
const LONG_SECONDS = 300
const AGAIN = 'maxretry: -1, retryinterval: 20ms'
const LOOPBACK = '127.0.0.1'

type StreamView = {
  readonly videoTrack?: { readonly codec: string }
  readonly audioTrack?: { readonly codec: string }
  readonly details?: { readonly pair?: string }
}

/** H.264 and AAC, until the test is over. */
function publishTo(server: RunningServer, streamPath: string): void {
  publish({ ...numberedPictures({ durationSeconds: LONG_SECONDS }), url: server.rtmp(streamPath) })
}

/** Waits until a stream can be read, and returns how many pictures came in a while. */
async function picturesOf(server: RunningServer, streamPath: string): Promise<number> {
  const read = () => ffprobeFrames(server.rtsp(streamPath), { packets: PACKETS })
  const frames = await waitFor(read, { what: streamPath, timeoutMs: 120_000 })
  return frames.filter(({ kind }) => kind === 'video').length
}

async function viewOf(server: RunningServer, streamPath: string): Promise<StreamView> {
  const { body } = await server.api(`/api/stream/info/${streamPath}`)
  return body.data === undefined ? {} : (body.data as StreamView)
}

describe('WebRTC from server to server', () => {
  before(function () {
    requirePeer(this, 'ffmpeg')
  })

  it('is pushed by a rule and pulled for viewers, with AAC made Opus', async () => {
    const target = await startServer()
    const whip = target.http('/webrtc/push/pushed/$1').replace('http:', 'whip:')
    const origin = await startServer({ config: `webrtc: { onpub: { push: { '^live/(.+)$': '${whip}' } } }` })
    // An address of HTTP does where the section says the protocol.
    const whep = origin.http('/webrtc/play/live/$1')
    await target.writeConfig(`webrtc: { onsub: { pull: { '^demand/(.+)$': '${whep}' } } }`)
    publishTo(origin, 'live/show')
    for (const streamPath of ['pushed/show', 'demand/show']) {
      expect(await picturesOf(target, streamPath), streamPath).to.be.at.least(PICTURES)
      const { videoTrack, audioTrack, details } = await viewOf(target, streamPath)
      expect([videoTrack?.codec, audioTrack?.codec], streamPath).to.eql(['h264', 'opus'])
      expect(details?.pair, streamPath).to.match(/^udp /u)
    }
    expect([...origin.problems, ...target.problems]).to.eql([])
  })

  it('goes on when the other server was away', async () => {
    let other = await startServer()
    publishTo(other, 'live/in')
    const relay = await TcpRelay.start(other.httpPort)
    const server = await startServer({
      config: `
webrtc:
  pull: { pull/in: { url: 'whep://${LOOPBACK}:${relay.port}/webrtc/whep/live/in', ${AGAIN} } }
  onpub: { push: { '^live/out$': { url: 'whip://${LOOPBACK}:${relay.port}/webrtc/whip/live/out', ${AGAIN} } } }
`,
    })
    publishTo(server, 'live/out')
    await picturesOf(server, 'pull/in')
    await picturesOf(other, 'live/out')
    await other.stop()
    other = await startServer()
    relay.target = other.httpPort
    publishTo(other, 'live/in')
    const before = server.records.length
    await picturesOf(other, 'live/out')
    await waitFor(() => server.records.slice(before).some(({ plugin, msg }) => plugin === 'webrtc' && msg === 'play'))
    await picturesOf(server, 'pull/in')
  })

  it('takes no address that is denied, and one that is not where there is one', async () => {
    const origin = await startServer()
    publishTo(origin, 'live/show')
    const addresses = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
    const denied = addresses.filter((address) => address !== LOOPBACK && !address.includes('%'))
    const server = await startServer({ config: `global: { pull: { deny: ${JSON.stringify(denied)} } }` })
    const remoteURL = origin.http('/webrtc/play/live/show').replace('http:', 'whep:')
    const pull = (by: RunningServer) =>
      by.api('/api/stream/pull', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ remoteURL, streamPath: 'pull/show' }),
      })
    await waitFor(async () => (await viewOf(origin, 'live/show')).videoTrack, { what: 'the stream' })
    expect((await pull(server)).status).to.equal(200)
    const pair = await waitFor(async () => (await viewOf(server, 'pull/show')).details?.pair, { what: 'the pull' })
    expect(pair).to.match(/ 127\.0\.0\.1:\d+$/u)
    const strict = await startServer({ config: `global: { pull: { deny: ['127.0.0.0/8'] } }` })
    const { status, body } = await pull(strict)
    expect(status).to.equal(502)
    expect(body.message).to.match(/127\.0\.0\.1 is denied by global\.pull\.deny/u)
  })
})
