import { expect } from 'chai'
import { playSrtByFfmpeg, publishSrtByFfmpeg } from '../peers/ffmpeg-srt.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame } from '../peers/rtsp.ts'
import { LiveTransmitPublisher, playSrtByLiveTransmit } from '../peers/srt-live-transmit.ts'
import { playSrt, publishSrt, SRT_PROGRAMS, type SrtProgram } from '../peers/srt-programs.ts'
import type { SrtAddress } from '../peers/srt.ts'
import { waitFor } from '../peers/wait-for.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { inTurn } from '../support/soak.ts'

const PASSPHRASE = 's3cret-passphrase'
/** Programs take long to start on a busy machine: those who play wait for the stream. */
const CONFIG = `
srt:
  listenaddr: '[::]:0'
  publish: { publishtimeout: 20s }
  subscribe: { waittimeout: 60s }
  passphrases: { ^secret/: ${PASSPHRASE} }
`
/** How much is missing at the end, and whether what comes last may be cut: GStreamer ends without sending it. */
const MISSING_AT_END_MS: Readonly<Record<SrtProgram, number>> = { ffmpeg: 0, GStreamer: 300, 'srt-live-transmit': 0 }

type Codecs = Pick<KnownSource, 'videoCodec' | 'audioCodec'>
type Publish = (file: string, address: SrtAddress) => Promise<unknown>
type Play = (address: SrtAddress) => Promise<PeerFrame[]>
type Player = readonly [name: string, play: Play]

const H264_AAC: Codecs = { videoCodec: 'h264', audioCodec: 'aac' }
const BY_ALL = SRT_PROGRAMS.map((program): Player => [program, (address) => playSrt(program, address)])
/** Those that take any codec. */
const BY_MOST: readonly Player[] = [
  ['ffmpeg', playSrtByFfmpeg],
  ['srt-live-transmit', playSrtByLiveTransmit],
]
const HOSTS = ['127.0.0.1', '::1'] as const
const KEY_BYTES = [16, 24, 32] as const
/** So many that the steps of a renewal lie apart: with 32, ffmpeg was once seen to abort, without a word. */
const KEY_PACKETS = 100
const byFfmpeg: Publish = (file, address) => publishSrtByFfmpeg(file, address).succeed()

type RunInit = {
  readonly codecs?: Codecs
  readonly streamPath: string
  readonly publish?: Publish
  readonly players?: readonly Player[]
  /** Of publisher and players. */
  readonly terms?: Partial<SrtAddress>
  readonly missingAtEndMs?: number
}

/** Where the end is cut off, the last picture may be. */
function withoutLast(frames: readonly PeerFrame[]): PeerFrame[] {
  return frames.toSpliced(
    frames.findLastIndex(({ kind }) => kind === 'video'),
    1,
  )
}

describe('what is published by SRT is played by SRT, frame by frame', () => {
  let server: RunningServer
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    server = await startServer({ config: CONFIG })
  })

  /** Publishes once, and compares what each player gets. */
  async function run(init: RunInit): Promise<void> {
    const { codecs = H264_AAC, streamPath, publish = byFfmpeg, players = BY_ALL, terms = {} } = init
    const { missingAtEndMs = 0 } = init
    const source = await knownSource(codecs)
    const { streams } = server.server
    const address = { ...terms, port: server.srtPort }
    const compare = (player: string, frames: readonly PeerFrame[]) => {
      const whole = missingAtEndMs > 0 ? withoutLast(frames) : frames
      const late = player === 'GStreamer'
      const { video, audio } = compareFrames(source, whole, { late, missingAtEndMs, audioShiftMs: 1 })
      // Of a stream that begins with sound, GStreamer leaves out the first packet.
      expect([video.missing.before, Math.max(0, audio.missing.before - 1)]).to.eql([0, 0])
    }
    const playing = players.map(async ([player, play]) => {
      try {
        compare(player, await play({ ...address, streamId: `subscribe:/${streamPath}` }))
      } catch (cause) {
        throw new Error(`${streamPath}, played by ${player}: ${String(cause)}`, { cause })
      }
    })
    const all = Promise.allSettled(playing)
    const isWaited = () => streams.subscribers(streamPath).length === playing.length
    await waitFor(isWaited, { what: 'the players to wait' })
    await publish(source.file, { ...address, streamId: `publish:/${streamPath}` })
    await waitFor(() => streams.get(streamPath)?.publisher === undefined, { what: 'the publisher to end' })
    // What is pending goes out as if they stayed.
    streams.get(streamPath)?.flush()
    for (const subscriber of streams.subscribers(streamPath)) subscriber.close('the stream is over')
    const errors = (await all).flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
    if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'))
  }

  const itBeside = sideBySide()

  for (const [index, publisher] of SRT_PROGRAMS.entries()) {
    const publish: Publish = (file, address) => publishSrt(publisher, file, address)
    const missingAtEndMs = MISSING_AT_END_MS[publisher]

    itBeside(`in the clear, by IPv4 and IPv6, published by ${publisher}`, async () => {
      const players = inTurn(BY_ALL, index + 1)
      const runs = inTurn(HOSTS, index).map((host) => {
        const streamPath = `live/${publisher}-${host === '::1' ? 'six' : 'four'}`
        return run({ streamPath, publish, players, missingAtEndMs, terms: { host } })
      })
      await Promise.all(runs)
    })

    itBeside(`encrypted with keys of each length, published by ${publisher}`, async () => {
      const players = inTurn(BY_ALL, index + 2)
      const runs = inTurn(KEY_BYTES, index).map((keyBytes) => {
        const terms = { passphrase: PASSPHRASE, keyBytes }
        return run({ streamPath: `secret/${publisher}-${keyBytes}`, publish, players, missingAtEndMs, terms })
      })
      await Promise.all(runs)
    })
  }

  const more: readonly Codecs[] = [
    { videoCodec: 'h265', audioCodec: 'aac' },
    { videoCodec: 'h264', audioCodec: 'opus' },
    { videoCodec: 'h264', audioCodec: 'mp3' },
    { videoCodec: 'h264', audioCodec: 'ac3' },
  ]
  for (const [index, codecs] of more.entries()) {
    itBeside(`of ${codecs.videoCodec} and ${codecs.audioCodec}`, () => {
      const streamPath = `live/${codecs.videoCodec}-${codecs.audioCodec}`
      return run({ codecs, streamPath, players: inTurn(BY_MOST, index) })
    })
  }

  itBeside('with keys that are renewed time and again', () => {
    const publish: Publish = (file, address) => byFfmpeg(file, { ...address, keyRefreshPackets: KEY_PACKETS })
    return run({
      streamPath: 'secret/renewed',
      publish,
      players: inTurn(BY_ALL, 1),
      terms: { passphrase: PASSPHRASE, keyBytes: 32 },
    })
  })

  itBeside('in payloads that are cut anywhere', () => {
    const publish: Publish = async (file, address) => (await LiveTransmitPublisher.start(file, address, 1000)).done
    return run({ streamPath: 'live/cut', publish, players: inTurn(BY_ALL, 2) })
  })

  after(() => expect(server?.problems).to.eql([]))
})
