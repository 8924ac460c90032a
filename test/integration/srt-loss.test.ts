import { expect } from 'chai'
import { playRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { playSrtByFfmpeg, publishSrtByFfmpeg } from '../peers/ffmpeg-srt.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame } from '../peers/rtsp.ts'
import type { SrtAddress } from '../peers/srt.ts'
import { waitFor } from '../peers/wait-for.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import type { LinkCounts, LinkPolicy } from '../support/srt/bad-link.ts'
import { SrtLossyProxy } from '../support/srt/lossy-proxy.ts'
import { sessionsOf, type SrtSession } from '../support/srt/srt-sessions.ts'

const PASSPHRASE = 's3cret-passphrase'
const CODECS = { videoCodec: 'h264', audioCodec: 'aac' } as const
/** More than a busy machine holds packets up for, which would come too late. */
const LATENCY_MS = 3000
/** Less than the time in which a key is used twice over: the next but one replaces it, and what comes later can't be decrypted. */
const KEYS_LATENCY_MS = 2000
/** In which keys are renewed three times. */
const KEYS_SECONDS = 8
const CONFIG = `
srt:
  latency: ${LATENCY_MS}ms
  publish: { publishtimeout: 20s }
  subscribe: { waittimeout: 60s }
  passphrases: { ^secret/: ${PASSPHRASE} }
`

const NOTHING = { before: 0, between: 0, after: 0 }
/** Packets that come too late, counted from the first, all in the first half of the source; of three in a row counters may show nothing. */
const LATE: ReadonlySet<number> = new Set([7, 57, 107, 150, 151, 152])
const UNKNOWN_LOSS_MS = 250
const MS_PER_PICTURE = 40
const MS_PER_PACKET = 1024 / 48

const NETWORKS: readonly { readonly name: string; readonly policy: LinkPolicy }[] = [
  { name: '2 % lost', policy: { dropShare: 0.02 } },
  { name: '10 % lost', policy: { dropShare: 0.1 } },
  { name: 'bursts of 20 lost', policy: { bursts: { share: 0.01, packetCount: 20 } } },
  { name: '100 ms of jitter', policy: { jitterMs: 100 } },
  { name: 'a way of 50 ms, and 10 % lost', policy: { delayMs: 50, dropShare: 0.1 } },
  { name: 'disorder and duplicates', policy: { reorderShare: 0.1, duplicateShare: 0.1 } },
  { name: 'all at once', policy: { dropShare: 0.03, jitterMs: 30, reorderShare: 0.05, duplicateShare: 0.05 } },
]

type Sent = {
  /** The last that was seen of the publisher. */
  readonly publisher: SrtSession
  /** Of the player through the proxy, when all was sent. */
  readonly player: SrtSession
  /** What the proxies did to the publisher's data, and to that for the player. */
  readonly published: LinkCounts
  readonly played: LinkCounts
}

/** What a busy machine holds up for longer than the latency is lost, too. */
const LANES = 2

describe('SRT over a bad network', () => {
  let server: RunningServer
  let source: KnownSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    server = await startServer({ config: CONFIG })
    source = await knownSource(CODECS)
  })

  /** A proxy that does the same to both ways, with other random numbers for each. */
  function proxy(policy: LinkPolicy, seed: number): Promise<SrtLossyProxy> {
    const policies = { toServer: { ...policy, seed }, toClient: { ...policy, seed: seed + 1 } }
    return SrtLossyProxy.start({ serverPort: server.srtPort, policies })
  }

  function missingOf(sent: KnownSource, frames: readonly PeerFrame[], cutAtEnd: boolean) {
    const { video, audio } = compareFrames(sent, frames, {
      late: true,
      gaps: true,
      missingAtEndMs: Infinity,
      cutAtEnd,
      audioShiftMs: 1,
    })
    return { video: video.missing, audio: audio.missing }
  }

  /** Nothing is missing but what a publisher has lost: libsrt never sends again what nobody knows of, as nothing follows it. */
  function expectAll(sent: KnownSource, frames: readonly (readonly PeerFrame[])[], lostByPublisher: number): void {
    const [proxied, direct] = frames.map((one) => missingOf(sent, one, lostByPublisher > 0))
    expect(proxied).to.eql(direct)
    const { video, audio } = proxied!
    const mayMiss = lostByPublisher > 0 ? UNKNOWN_LOSS_MS : 0
    expect(video.after * MS_PER_PICTURE).to.be.at.most(mayMiss)
    expect(audio.after * MS_PER_PACKET).to.be.at.most(mayMiss)
    for (const missing of [video, audio]) expect({ ...missing, after: 0 }).to.eql(NOTHING)
  }

  /** Publishes by one proxy, and plays by another one and by none: whoever plays gets every frame. */
  async function send(
    streamPath: string,
    policy: LinkPolicy,
    terms: Partial<SrtAddress> = {},
    sent = source,
  ): Promise<Sent> {
    const { streams } = server.server
    const [publishing, playing] = [await proxy(policy, 1), await proxy(policy, 3)]
    const { keyRefreshPackets, ...both } = { latencyMs: LATENCY_MS, ...terms }
    const play = (port: number) =>
      playSrtByFfmpeg({ ...both, port, streamId: `subscribe:/${streamPath}` }, { lossy: true })
    const players = Promise.all([play(playing.port), play(server.srtPort)])
    players.catch(() => undefined)
    await waitFor(() => streams.subscribers(streamPath).length === 2, { what: 'the players to wait' })
    const address = { ...both, ...(keyRefreshPackets !== undefined && { keyRefreshPackets }) }
    const publishes = publishSrtByFfmpeg(sent.file, {
      ...address,
      port: publishing.port,
      streamId: `publish:/${streamPath}`,
    })
    const own = async () => (await sessionsOf(server)).filter((session) => session.streamPath === streamPath)
    let publisher: SrtSession | undefined
    const isOver = async () => {
      const seen = (await own()).find(({ direction }) => direction === 'publish')
      const isGone = publisher !== undefined && seen === undefined
      publisher = seen ?? publisher
      return isGone
    }
    await waitFor(isOver, { what: 'the publisher to end', intervalMs: 100 })
    await publishes.succeed()
    streams.get(streamPath)?.flush()
    const [port] = playing.clientPorts
    const player = (await own()).find(({ remoteAddr }) => remoteAddr === `127.0.0.1:${port}`)
    for (const subscriber of streams.subscribers(streamPath)) subscriber.close('the stream is over')
    const published = publishing.counts('toServer')
    expectAll(sent, await players, published.droppedData)
    return { publisher: publisher!, player: player!, published, played: playing.counts('toClient') }
  }

  const itBeside = sideBySide(LANES)

  for (const [index, { name, policy }] of NETWORKS.entries()) {
    itBeside(`${name}: every frame comes, published and played`, async () => {
      const { publisher, player, published, played } = await send(`live/bad${index}`, policy)
      expect(publisher.statistics).to.include({ pktRcvDropTotal: 0, pktRcvUndecryptTotal: 0 })
      expect(player.statistics).to.include({ pktSndDropTotal: 0 })
      expect([publisher.receiveLatencyMs, player.sendLatencyMs]).to.eql([LATENCY_MS, LATENCY_MS])
      if (played.droppedData > 0) expect(player.statistics.pktRetransTotal).to.be.above(0)
      if (published.droppedData === 0) return
      expect(publisher.statistics.pktRcvLossTotal).to.be.above(0)
      expect(publisher.statistics.pktSentNAKTotal).to.be.above(0)
    })
  }

  itBeside('keys that are renewed are lost and come again', async () => {
    const flags = new Set<number>()
    const seen: LinkPolicy['isDropped'] = ({ keyFlag, controlType }) => {
      if (controlType === undefined) flags.add(keyFlag)
      return false
    }
    // Two keys are told apart: one may go only when what it was for is not sent again any more.
    const terms: Partial<SrtAddress> = {
      passphrase: PASSPHRASE,
      keyBytes: 16,
      keyRefreshPackets: 240,
      latencyMs: KEYS_LATENCY_MS,
    }
    const policy = { dropShare: 0.1, delayMs: 20, isDropped: seen }
    const { publisher } = await send('secret/bad', policy, terms, await knownSource(CODECS, KEYS_SECONDS))
    expect(publisher.statistics).to.include({ pktRcvDropTotal: 0, pktRcvUndecryptTotal: 0 })
    expect(flags).to.eql(new Set([1, 2]))
  })

  itBeside('what comes too late is left out and counted, and the rest plays on', async () => {
    const streamPath = 'live/late'
    let first: number | undefined
    // They are lost however often they are sent again.
    const isDropped: LinkPolicy['isDropped'] = ({ controlType, sequence }) => {
      if (controlType !== undefined) return false
      first ??= sequence
      return LATE.has(sequence - first)
    }
    const proxied = await SrtLossyProxy.start({ serverPort: server.srtPort, policies: { toServer: { isDropped } } })
    const { streams } = server.server
    // By TCP nothing is lost on the way to the player, which a busy machine may hold up.
    const playing = playRtspByFfmpeg(server.rtsp(streamPath), 'tcp', { lossy: true })
    playing.catch(() => undefined)
    await waitFor(() => streams.subscribers(streamPath).length === 1, { what: 'the player to wait' })
    const address = { port: proxied.port, streamId: `publish:/${streamPath}` }
    const publishing = publishSrtByFfmpeg(source.file, address)
    let dropped = 0
    const isOver = async () => {
      const session = (await sessionsOf(server)).find(
        ({ direction, streamPath: path }) => direction === 'publish' && path === streamPath,
      )
      dropped = session?.statistics.pktRcvDropTotal ?? dropped
      return publishing.exited !== undefined
    }
    await waitFor(isOver, { what: 'the publisher to end', intervalMs: 100 })
    await publishing.succeed()
    await waitFor(() => streams.get(streamPath)?.publisher === undefined, { what: 'the publisher to be gone' })
    for (const subscriber of streams.subscribers(streamPath)) subscriber.close('the stream is over')
    const { video, audio } = missingOf(source, await playing, false)
    expect(dropped).to.be.at.least(LATE.size)
    expect(video.before + video.between).to.be.above(0)
    expect([video.after, audio.after]).to.eql([0, 0])
  })

  after(() => expect(server?.problems).to.eql([]))
})
