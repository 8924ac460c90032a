import { expect } from 'chai'
import { playSrtByFfmpeg, publishSrtByFfmpeg } from '../peers/ffmpeg-srt.ts'
import { freeUdpPort } from '../peers/free-port.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame } from '../peers/rtsp.ts'
import { SrtLiveTransmit } from '../peers/srt-live-transmit.ts'
import { playSrt, publishSrt, type SrtProgram } from '../peers/srt-programs.ts'
import type { SrtAddress } from '../peers/srt.ts'
import { isUdpPortBound } from '../peers/udp-sockets.ts'
import { waitFor } from '../peers/wait-for.ts'
import { knownSource, type KnownSource } from '../support/known-source.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { startServer, type RunningServer } from '../support/server.ts'
import { sideBySide } from '../support/side-by-side.ts'
import { inTurn } from '../support/soak.ts'
import { sessionsOf } from '../support/srt/srt-sessions.ts'

const PASSPHRASE = 's3cret-passphrase'
/** GStreamer ends without sending its last. */
const MISSING_AT_END_MS: Readonly<Record<SrtProgram, number>> = { ffmpeg: 0, GStreamer: 300, 'srt-live-transmit': 0 }
const RETRY = 'maxretry: -1, retryinterval: 100ms'

type Peer = {
  readonly program: SrtProgram
  /** How the program meets the server, which calls it or meets it. */
  readonly mode: 'listener' | 'rendezvous'
  readonly host?: string
  readonly keyBytes?: 16 | 24 | 32
}

const PEERS: readonly Peer[] = [
  { program: 'ffmpeg', mode: 'listener' },
  { program: 'ffmpeg', mode: 'listener', host: '::1', keyBytes: 32 },
  { program: 'GStreamer', mode: 'listener', keyBytes: 24 },
  { program: 'srt-live-transmit', mode: 'listener' },
  { program: 'srt-live-transmit', mode: 'listener', keyBytes: 16 },
  { program: 'GStreamer', mode: 'rendezvous' },
  { program: 'srt-live-transmit', mode: 'rendezvous', keyBytes: 32 },
]

function nameOf({ program, mode, host, keyBytes }: Peer): string {
  const more = [
    host === undefined ? '' : ', over IPv6',
    keyBytes === undefined ? '' : `, with ${keyBytes} bytes of key`,
  ]
  return `${program} in the mode ${mode}${more.join('')}`
}

/** Where the end is cut off, the last picture may be. */
function withoutLast(frames: readonly PeerFrame[]): PeerFrame[] {
  return frames.toSpliced(
    frames.findLastIndex(({ kind }) => kind === 'video'),
    1,
  )
}

/** The address of a program as the program has it, and as the server has it. */
async function meeting({
  mode,
  host,
  keyBytes,
}: Peer): Promise<{ readonly program: SrtAddress; readonly url: string }> {
  const port = await freeUdpPort()
  const encryption = keyBytes === undefined ? {} : { passphrase: PASSPHRASE, keyBytes }
  const query = new URLSearchParams({ mode: 'caller', latency: '300' })
  if (keyBytes !== undefined) query.set('passphrase', PASSPHRASE)
  if (keyBytes !== undefined) query.set('pbkeylen', String(keyBytes))
  const shared = { ...(host !== undefined && { host }), ...encryption, mode, latencyMs: 300 }
  const at = host === undefined ? '127.0.0.1' : `[${host}]`
  if (mode === 'listener') return { program: { ...shared, port }, url: `srt://${at}:${port}?${query.toString()}` }
  const serverPort = await freeUdpPort()
  query.set('mode', 'rendezvous')
  query.set('localport', String(serverPort))
  return { program: { ...shared, port: serverPort, localPort: port }, url: `srt://${at}:${port}?${query.toString()}` }
}

describe('SRT servers that are called, or met', () => {
  let source: KnownSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    requirePeer(this, 'srt')
    source = await knownSource({ videoCodec: 'h264', audioCodec: 'aac' })
  })

  function start(jobs: string): Promise<RunningServer> {
    return startServer({
      config: `
srt:
  publish: { publishtimeout: 20s }
  subscribe: { waittimeout: 60s }
  ${jobs}
`,
    })
  }

  async function endStream({ server: { streams } }: RunningServer, streamPath: string): Promise<void> {
    await waitFor(() => streams.get(streamPath)?.publisher === undefined, { what: 'the publisher to end' })
    streams.get(streamPath)?.flush()
    for (const subscriber of streams.subscribers(streamPath)) subscriber.close('the stream is over')
  }

  function expectSession(server: RunningServer, peer: Peer, direction: 'publish' | 'play'): Promise<unknown> {
    const mode = peer.mode === 'listener' ? 'caller' : 'rendezvous'
    const isListed = async () => {
      const own = (await sessionsOf(server)).find((session) => session.mode === mode)
      if (own === undefined) return false
      expect(own).to.include({ direction, mode, encrypted: peer.keyBytes !== undefined, peerVersion: '1.5.1' })
      expect([own.sendLatencyMs, own.receiveLatencyMs]).to.eql([300, 300])
      return true
    }
    return waitFor(isListed, { what: `the ${mode} to be listed` })
  }

  async function isPulled(peer: Peer): Promise<void> {
    const { program, url } = await meeting(peer)
    const missingAtEndMs = MISSING_AT_END_MS[peer.program]
    const server = await start(`onsub: { pull: { ^live/pulled$: { url: '${url}', ${RETRY} } } }`)
    const playing = playSrtByFfmpeg({ port: server.srtPort, streamId: 'subscribe:/live/pulled' })
    playing.catch(() => undefined)
    const isWaited = () => server.server.streams.subscribers('live/pulled').length === 1
    await waitFor(isWaited, { what: 'the player to wait' })
    // The time of a program runs from its start on.
    const publishing = publishSrt(peer.program, source.file, program)
    publishing.catch(() => undefined)
    await expectSession(server, peer, 'publish')
    await publishing
    await endStream(server, 'live/pulled')
    const frames = await playing
    const whole = missingAtEndMs > 0 ? withoutLast(frames) : frames
    const { video, audio } = compareFrames(source, whole, { missingAtEndMs, audioShiftMs: 1 })
    expect([video.missing.before, audio.missing.before]).to.eql([0, 0])
    expect(JSON.stringify(server.records)).not.to.include(PASSPHRASE)
  }

  async function isPushed(peer: Peer): Promise<void> {
    const { program, url } = await meeting(peer)
    const playing = playSrt(peer.program, program)
    playing.catch(() => undefined)
    if (peer.mode === 'listener') await waitFor(() => isUdpPortBound(program.port), { what: 'it to listen' })
    const server = await start(`onpub: { push: { ^live/pushed$: { url: '${url}', ${RETRY} } } }`)
    const publishing = publishSrtByFfmpeg(source.file, { port: server.srtPort, streamId: 'publish:/live/pushed' })
    await expectSession(server, peer, 'play')
    await publishing.succeed()
    await endStream(server, 'live/pushed')
    const late = peer.program === 'GStreamer'
    const { video, audio } = compareFrames(source, await playing, { late, audioShiftMs: 1 })
    // Of a stream that begins with sound, GStreamer leaves out the first packet.
    expect([video.missing.before, Math.max(0, audio.missing.before - 1)]).to.eql([0, 0])
    expect(JSON.stringify(server.records)).not.to.include(PASSPHRASE)
  }

  const itBeside = sideBySide()

  for (const [index, peer] of PEERS.entries()) {
    for (const [name, check] of inTurn([['pulled from', isPulled] as const, ['pushed to', isPushed] as const], index)) {
      itBeside(`are ${name}, frame by frame: ${nameOf(peer)}`, () => check(peer))
    }
  }

  for (const [name, passphrase, message] of [
    ['another passphrase', 'another-passphrase', /^the server refused: it has another passphrase \(10\)$/u],
    ['no passphrase', '', /^the server refused: one end has a passphrase and the other none \(11\)$/u],
  ] as const) {
    itBeside(`say that this server has ${name}`, async () => {
      const port = await freeUdpPort()
      const listener = new SrtLiveTransmit({ port, mode: 'listener', passphrase: PASSPHRASE }, 'console')
      await waitFor(() => isUdpPortBound(port), { what: 'srt-live-transmit to listen' })
      const server = await start('')
      const remoteURL = `srt://127.0.0.1:${port}${passphrase === '' ? '' : `?passphrase=${passphrase}`}`
      const { body } = await server.api('/api/stream/pull', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ remoteURL, streamPath: 'live/a' }),
      })
      expect(body.message).to.match(message)
      expect(JSON.stringify(server.records)).not.to.include('another-passphrase')
      await listener.process.close()
    })
  }
})
