import { expect } from 'chai'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { GstreamerRtspPlayer, publishRtspByGstreamer } from '../peers/gstreamer-rtsp.ts'
import type { PeerProcess } from '../peers/process.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame } from '../peers/rtsp.ts'
import { waitFor } from '../peers/wait-for.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { RTSP_SOURCES, rtspSource, type RtspSource, type RtspSourceName } from '../support/rtsp/rtsp-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { inTurn } from '../support/soak.ts'

const CONFIG = `
rtsp:
  tcp:
    listenaddr: 127.0.0.1:0
  publish:
    publishtimeout: 3s
  subscribe:
    waittimeout: 50s
`
const TRANSPORTS = ['tcp', 'udp'] as const
const PEERS = ['ffmpeg', 'GStreamer'] as const
const WAYS = PEERS.flatMap((peer) => TRANSPORTS.map((transport) => ({ peer, transport })))
/** The ways that play what is published by each of {@link WAYS} where not all do: the other program, by either transport. */
const PLAYED_IN_TURN = [3, 2, 0, 1] as const
/** What a server corrects, and a packet more: what audio may be shifted against video. */
const AUDIO_SHIFT_MS = 60
/** ffmpeg never sends its last packet of AAC, and the last datagrams of a publisher may be lost. */
const MISSING_AT_END_MS = 150
/** What comes by UDP may be lost, also on its way to a player. */
const MISSING_BY_UDP_MS = 150
/** Enough for a player that is held up between asking for the stream and playing it. */
const SECONDS = 8
/** Pictures of a second: fewer are no stream that was played. */
const LEAST_PICTURES = 25
/** Datagrams get lost where more programs hold each other up. */
const LANES = 2

type Peer = (typeof PEERS)[number]
type Transport = (typeof TRANSPORTS)[number]
/** A program, and how the packets of its session travel. */
type Way = { readonly peer: Peer; readonly transport: Transport }

function publish(peer: Peer, { file, ...source }: RtspSource, url: string, transport: Transport): PeerProcess {
  if (peer === 'ffmpeg') return publishRtspByFfmpeg(file, url, transport)
  return publishRtspByGstreamer(file, url, transport, { video: source.videoCodec, audio: source.audioCodec })
}

/** Starts to play; what it returns, called when the stream is over, hands `check` what came. */
function play(
  peer: Peer,
  source: RtspSource,
  url: string,
  transport: Transport,
): (check: (frames: PeerFrame[]) => void) => Promise<void> {
  if (peer === 'GStreamer') {
    const player = new GstreamerRtspPlayer(url, transport, { video: source.videoCodec, audio: source.audioCodec })
    return (check) => player.untilReceived(check)
  }
  // ffmpeg tells of datagrams that it waited for, also where they came.
  const frames = playRtspByFfmpeg(url, transport, { lossy: transport === 'udp' })
  frames.catch(() => undefined)
  return async (check) => check(await frames)
}

describe('what is published by RTSP is played by RTSP, frame by frame', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'gstreamer')
    server = await startServer({ config: CONFIG })
  })

  /** Publishes once, and compares what each player gets by each transport. */
  async function run(source: RtspSource, { peer: publisher, transport }: Way, playing: readonly Way[]): Promise<void> {
    const target = `live/${publisher}-${transport}-${source.videoCodec}-${source.audioCodec}`
    const maySendLess = transport === 'udp' || (publisher === 'ffmpeg' && source.audioCodec === 'aac')
    const compare = (player: Peer, by: Transport, frames: readonly PeerFrame[]) => {
      const { video } = compareFrames(source, frames, {
        late: true,
        missingAtEndMs: by === 'udp' ? MISSING_BY_UDP_MS : maySendLess ? MISSING_AT_END_MS : 0,
        audioShiftMs: AUDIO_SHIFT_MS,
        // GStreamer puts tracks in step while they play, as reports come, and sends its own reports when they have begun.
        corrections: (player === 'GStreamer' ? 2 : 0) + (publisher === 'GStreamer' ? 1 : 0),
      })
      expect(video.received).to.be.at.least(LEAST_PICTURES)
    }
    const players = playing.map(({ peer: player, transport: by }) => {
      const finish = play(player, source, server.rtsp(target), by)
      return () =>
        finish((frames) => compare(player, by, frames)).catch((cause: unknown) => {
          throw new Error(`${publisher} by ${transport}, played by ${player} by ${by}: ${String(cause)}`, { cause })
        })
    })
    // Programs take long to start on a busy machine: who plays waits for the stream.
    const { streams } = server.server
    await waitFor(() => streams.subscribers(target).length === playing.length, { what: 'the players to wait' })
    const sending = publish(publisher, source, server.rtsp(target), transport)
    await waitFor(() => streams.get(target)?.publisher !== undefined, { what: `${publisher} to publish` })
    // GStreamer does not always end when it has sent everything; the stream does, as nothing comes any more.
    await waitFor(() => streams.get(target)?.publisher === undefined, { what: `${publisher} to end` })
    for (const subscriber of streams.subscribers(target)) subscriber.close('the stream is over')
    const checks = players.map((finish) => finish())
    const results = await Promise.allSettled(publisher === 'ffmpeg' ? [sending.succeed(), ...checks] : checks)
    await sending.close()
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'))
  }

  const itBeside = sideBySide(LANES)

  for (const [index, name] of (Object.keys(RTSP_SOURCES) as RtspSourceName[]).entries()) {
    for (const way of inTurn(WAYS, index)) {
      itBeside(`${name}, published by ${way.peer} by ${way.transport}`, async () => {
        await run(await rtspSource(name, SECONDS), way, inTurn(WAYS, PLAYED_IN_TURN[index % WAYS.length]!))
      })
    }
  }

  after(() => expect(server?.problems).to.eql([]))
})
