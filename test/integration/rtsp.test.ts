import { expect } from 'chai'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { GstreamerRtspPlayer, publishRtspByGstreamer } from '../peers/gstreamer-rtsp.ts'
import type { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame, RtspTransport } from '../peers/rtsp.ts'
import { waitFor } from '../peers/wait-for.ts'
import { rtspSource, type RtspSource } from '../support/rtsp/rtsp-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'

/** Enough for a player that is held up between asking for the stream and playing it. */
const SECONDS = 8
/** Fewer are no stream that was played. */
const LEAST_FRAMES = 50
const ENV = { SLUICE_RTSP_TCP_LISTENADDRTLS: ':0' }
/** Programs take long to start on a busy machine: those who play wait for the stream. */
const CONFIG = 'rtsp: { publish: { publishtimeout: 3s }, subscribe: { waittimeout: 50s } }'
const PEERS = ['ffmpeg', 'GStreamer'] as const
type Peer = (typeof PEERS)[number]

describe('RTSP by the ways that programs take', () => {
  let server: RunningServer
  let source: RtspSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'gstreamer')
    server = await startServer({ config: CONFIG, env: ENV })
    source = await rtspSource('H.264 and AAC', SECONDS)
  })

  const codecs = () => ({ video: source.videoCodec, audio: source.audioCodec })
  const rtsp = (host: string) => `rtsp://${host}:${server.rtspPort}`
  const rtsps = (host: string) => `rtsps://${host}:${server.pluginPort('rtsp', true)}`

  function publish(peer: Peer, url: string, transport: 'tcp' | 'udp'): PeerProcess {
    if (peer === 'ffmpeg') return publishRtspByFfmpeg(source.file, url, transport)
    return publishRtspByGstreamer(source.file, url, transport, codecs())
  }

  async function play(peer: Peer, url: string, transport: RtspTransport): Promise<void> {
    const check = (frames: readonly PeerFrame[]) => {
      expect(frames.length, `${peer} by ${transport}`).to.be.at.least(LEAST_FRAMES)
      expect(new Set(frames.map(({ kind }) => kind))).to.eql(new Set(['video', 'audio']))
    }
    if (peer === 'GStreamer') return new GstreamerRtspPlayer(url, transport, codecs()).untilReceived(check)
    check(await playRtspByFfmpeg(url, transport, { lossy: transport === 'udp', packets: LEAST_FRAMES }))
  }

  /** Lets both programs play what one of them publishes. */
  async function run(
    publisher: Peer,
    streamPath: string,
    url: string,
    by: { readonly publish: 'tcp' | 'udp'; readonly play: RtspTransport },
  ): Promise<void> {
    const { streams } = server.server
    const plays = Promise.all(PEERS.map((player) => play(player, url, by.play)))
    plays.catch(() => undefined)
    await waitFor(() => streams.subscribers(streamPath).length === PEERS.length, { what: 'the players to wait' })
    const sending = publish(publisher, url, by.publish)
    const ip = await waitFor(() => streams.get(streamPath)?.publisher?.request.client.ip, { what: 'the publisher' })
    expect(ip).to.equal(url.includes('[::1]') ? '::1' : '127.0.0.1')
    await plays
    await sending.close()
  }

  it('plays through a tunnel of HTTP', () =>
    run('ffmpeg', 'live/tunnel', server.rtsp('live/tunnel'), { publish: 'tcp', play: 'http' }))

  for (const peer of PEERS) {
    it(`takes and plays by RTSPS what ${peer} publishes`, () =>
      run(peer, `live/tls-${peer}`, `${rtsps('127.0.0.1')}/live/tls-${peer}`, { publish: 'tcp', play: 'tcp' }))

    it(`takes and plays over IPv6 what ${peer} publishes`, async () => {
      const checks = (['tcp', 'udp'] as const).map((transport) => {
        const streamPath = `live/six-${peer}-${transport}`
        return run(peer, streamPath, `${rtsp('[::1]')}/${streamPath}`, { publish: transport, play: transport })
      })
      await Promise.all(checks)
    })
  }

  after(() => expect(server?.problems).to.eql([]))
})
