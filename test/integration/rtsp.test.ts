import { expect } from 'chai'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { GstreamerRtspPlayer, publishRtspByGstreamer } from '../peers/gstreamer-rtsp.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame, RtspTransport } from '../peers/rtsp.ts'
import { waitFor } from '../peers/wait-for.ts'
import { rtspSource, type RtspSource } from '../support/rtsp/rtsp-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** Fewer are no stream that was played. */
const LEAST_FRAMES = 50
const ENV = { SLUICE_RTSP_TCP_LISTENADDRTLS: ':0' }
/** Players leave soon after the publisher, which is there before they come. */
const CONFIG = 'rtsp: { publish: { publishtimeout: 3s }, subscribe: { waittimeout: 1s } }'
const PEERS = ['ffmpeg', 'GStreamer'] as const
type Peer = (typeof PEERS)[number]

describe('RTSP by the ways that programs take', () => {
  let server: RunningServer
  let source: RtspSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'gstreamer')
    server = await startServer({ config: CONFIG, env: ENV })
    source = await rtspSource('H.264 and AAC')
  })

  const codecs = () => ({ video: source.videoCodec, audio: source.audioCodec })
  const rtsp = (host: string) => `rtsp://${host}:${server.rtspPort}`
  const rtsps = (host: string) => `rtsps://${host}:${server.pluginPort('rtsp', true)}`

  async function publish(peer: Peer, url: string, transport: 'tcp' | 'udp', streamPath: string): Promise<void> {
    const sending =
      peer === 'ffmpeg'
        ? publishRtspByFfmpeg(source.file, url, transport)
        : publishRtspByGstreamer(source.file, url, transport, codecs())
    const isUp = () => sending.exited !== undefined || server.server.streams.get(streamPath)?.publisher !== undefined
    await waitFor(isUp, { what: `${peer} to publish` })
    expect(sending.exited, sending.stderr).to.equal(undefined)
  }

  async function play(peer: Peer, url: string, transport: RtspTransport): Promise<void> {
    const frames: readonly PeerFrame[] =
      peer === 'ffmpeg'
        ? await playRtspByFfmpeg(url, transport, { lossy: transport === 'udp' })
        : await new GstreamerRtspPlayer(url, transport, codecs()).untilEnd()
    expect(frames.length, `${peer} by ${transport}`).to.be.at.least(LEAST_FRAMES)
    expect(new Set(frames.map(({ kind }) => kind))).to.eql(new Set(['video', 'audio']))
  }

  it('plays through a tunnel of HTTP', async () => {
    await publish('ffmpeg', server.rtsp('live/tunnel'), 'tcp', 'live/tunnel')
    await Promise.all(PEERS.map((peer) => play(peer, server.rtsp('live/tunnel'), 'http')))
  })

  for (const peer of PEERS) {
    it(`takes and plays by RTSPS what ${peer} publishes`, async () => {
      const streamPath = `live/tls-${peer}`
      const url = `${rtsps('127.0.0.1')}/${streamPath}`
      await publish(peer, url, 'tcp', streamPath)
      await Promise.all(PEERS.map((player) => play(player, url, 'tcp')))
    })

    it(`takes and plays over IPv6 what ${peer} publishes`, async () => {
      const checks = (['tcp', 'udp'] as const).map(async (transport) => {
        const streamPath = `live/six-${peer}-${transport}`
        const url = `${rtsp('[::1]')}/${streamPath}`
        await publish(peer, url, transport, streamPath)
        expect(server.server.streams.get(streamPath)?.publisher?.request.client.ip).to.equal('::1')
        await Promise.all(PEERS.map((player) => play(player, url, transport)))
      })
      await Promise.all(checks)
    })
  }

  after(() => expect(server?.problems).to.eql([]))
})
