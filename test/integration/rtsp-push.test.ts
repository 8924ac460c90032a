import { expect } from 'chai'
import type { CloseReason, Subscriber } from 'sluice/sdk'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { freePort } from '../peers/free-port.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { rtspSource, type RtspSource } from '../support/rtsp/rtsp-source.ts'
import { ScriptedSource, type Script } from '../support/rtsp/scripted-source.ts'
import { pushRequest, ScriptedPublisher } from 'sluice/sdk/testing'

const PATH = 'live/source'
const CLIENT = { ip: '', port: 0, userAgent: 'test' }
/** ffmpeg never sends its last packet of AAC. */
const MISSING_AT_END_MS = 150
/** What ffmpeg may leave unread when it is told that this is the end. */
const LEFT_BY_FFMPEG_MS = 1000
const SECRETS = /pa55word|s3cret/u

type Server = TestServer<unknown>
type Push = { readonly result: Promise<CloseReason | Error>; isClosed(): boolean; stop(): void; close(): void }

async function start(config: Record<string, unknown> = {}): Promise<Server> {
  const server = await createTestServer(rtsp, { config })
  keep({ close: () => server.stop() })
  return server
}

/** Asks for a push as a plugin does that is to send streams out. */
function push(server: Server, url: string): Push {
  const stop = new AbortController()
  let subscriber: Subscriber | undefined
  const request = pushRequest({ url, streamPath: PATH, signal: stop.signal, begun: (begun) => (subscriber = begun) })
  const service = server.ctx.services.get('push:rtsp')
  const result = service!.push(request).catch((error: Error) => error)
  const isClosed = () => server.streams.subscribers(PATH).every(({ type }) => type !== 'push')
  return { result, isClosed, stop: () => stop.abort(), close: () => subscriber?.close('enough') }
}

/** Whether the target has taken it. */
async function isUp({ log }: Server, url: string, { result }: Push): Promise<boolean> {
  let failed = false
  void result.then(() => (failed = true))
  const began = () => log.some(({ msg, target }) => msg === 'push' && target === url)
  await waitFor(() => failed || began())
  return !failed
}

/** A stream of the server's own that goes on until the test is over. */
async function publishScripted(server: Server) {
  const publisher = await server.streams.publish({ streamPath: PATH, url: '', query: '', client: CLIENT })
  const script = new ScriptedPublisher(publisher)
  const timer = setInterval(() => script.write(1), 20)
  keep({ close: () => clearInterval(timer) })
  return publisher
}

describe('a push by RTSP', () => {
  let source: RtspSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    source = await rtspSource('H.264 and AAC')
  })

  it('brings every frame with its time, by each transport, to servers of ours and to ffmpeg', async () => {
    const target = await start({ tcp: { listenaddr: '127.0.0.1:0', listenaddrtls: '127.0.0.1:0' } })
    const server = await start({ verifycertificate: false })
    const at = `127.0.0.1:${target.port()}/live`
    const [tcpPort, udpPort] = [await freePort(), await freePort()]
    const listening = [
      playRtspByFfmpeg(`rtsp://127.0.0.1:${tcpPort}/x`, 'tcp', { input: ['-rtsp_flags', 'listen'] }),
      playRtspByFfmpeg(`rtsp://127.0.0.1:${udpPort}/x`, 'udp', { input: ['-rtsp_flags', 'listen'], lossy: true }),
    ]
    const targets = {
      tcp: `rtspt://${at}/tcp`,
      udp: `rtspu://${at}/udp`,
      auto: `rtsp://${at}/auto`,
      http: `rtsph://${at}/http`,
      tls: `rtsps://127.0.0.1:${target.port('tls')}/live/tls`,
    }
    const received = Object.keys(targets).map((name) => ReceivedUnits.of(target.streams, `live/${name}`))
    const sending = publishRtspByFfmpeg(source.file, `rtsp://127.0.0.1:${server.port()}/${PATH}`, 'tcp')
    const reference = await ReceivedUnits.of(server.streams, PATH)
    const pushes = Object.values(targets).map((url) => push(server, url))
    // ffmpeg takes one connection only, so nobody can ask whether it listens.
    const toFfmpeg = [`rtspt://127.0.0.1:${tcpPort}/x`, `rtspu://127.0.0.1:${udpPort}/x`].map((url) =>
      waitFor(async () => {
        const one = push(server, url)
        return (await isUp(server, url, one)) && one
      }),
    )
    const all = await Promise.all(received)
    await sending.exit
    await waitFor(() => reference.events.includes('source ended'))
    const lastOf = ({ units }: ReceivedUnits, kind: 'video' | 'audio') =>
      units.findLast(({ track }) => track.kind === kind)?.data
    const isThere = (one: ReceivedUnits) =>
      lastOf(one, 'audio')?.equals(lastOf(reference, 'audio')!) &&
      lastOf(one, 'video')?.equals(lastOf(reference, 'video')!)
    await waitFor(() => all.every(isThere), { what: 'the last frames' })
    const ffmpegPushes = await Promise.all(toFfmpeg)
    for (const one of [...pushes, ...ffmpegPushes]) one.close()
    for (const one of pushes) expect(await one.result).to.include({ text: 'enough' })
    await waitFor(() => all.every(({ events }) => events.includes('source ended')))
    for (const { frames } of all) {
      compareFrames(source, frames, { late: true, missingAtEndMs: MISSING_AT_END_MS, corrections: 1 })
    }
    for (const frames of await Promise.all(listening)) {
      expect(
        compareFrames(source, frames, { late: true, missingAtEndMs: LEFT_BY_FFMPEG_MS, corrections: 1 }).video.received,
      ).above(25)
    }
  })

  describe('fails with a clear error', () => {
    const cases: readonly (readonly [what: string, script: Script, message: RegExp])[] = [
      [
        'when the target refuses',
        ({ method }) => (method === 'ANNOUNCE' ? { status: '403 Forbidden' } : undefined),
        /^the server answered 403 Forbidden to ANNOUNCE$/u,
      ],
      [
        'when its password is wrong',
        () => ({ status: '401 Unauthorized', headers: { 'WWW-Authenticate': 'Digest realm="x", nonce="n"' } }),
        /^the server answered 401 Unauthorized to OPTIONS$/u,
      ],
      [
        'when the target takes no transport',
        ({ method }) => (method === 'SETUP' ? { status: '461 Unsupported Transport' } : undefined),
        /^the server answered 461 Unsupported Transport to SETUP$/u,
      ],
      [
        'when the target leaves before it agrees',
        ({ method, connection }) => (method === 'RECORD' ? (connection.kill(), null) : undefined),
        /^the connection ended before a request was answered: read ECONNRESET$/u,
      ],
    ]
    for (const [what, script, message] of cases) {
      it(what, async () => {
        const target = await ScriptedSource.start({ script })
        const server = await start()
        await publishScripted(server)
        const pushed = push(server, `${target.url('someone:pa55word@')}?token=s3cret`)
        expect(await pushed.result)
          .to.be.an('error')
          .with.property('message')
          .that.matches(message)
        expect(pushed.isClosed()).to.equal(true)
        await waitFor(() => target.connections.size === 0)
        expect(JSON.stringify(server.log)).not.to.match(SECRETS)
      })
    }

    it('when nobody is there, or the address is none', async () => {
      const server = await start()
      await publishScripted(server)
      const urls: readonly (readonly [url: string, message: RegExp])[] = [
        [
          `rtsp://someone:pa55word@127.0.0.1:${await freePort()}/x`,
          /^can't connect to 127\.0\.0\.1:\d+: .*ECONNREFUSED/u,
        ],
        ['http://someone:pa55word@127.0.0.1/x', /^not an address of RTSP/u],
      ]
      for (const [url, message] of urls) {
        const pushed = push(server, url)
        const error = await pushed.result
        expect(error).to.be.an('error').with.property('message').that.matches(message).and.not.matches(SECRETS)
        expect(pushed.isClosed()).to.equal(true)
      }
    })

    it('when the certificate of the target is not to be trusted', async () => {
      const target = await start({ tcp: { listenaddr: '127.0.0.1:0', listenaddrtls: '127.0.0.1:0' } })
      const server = await start()
      await publishScripted(server)
      const { result } = push(server, `rtsps://127.0.0.1:${target.port('tls')}/live/x`)
      expect(await result)
        .to.be.an('error')
        .with.property('message')
        .that.matches(/self-signed certificate/u)
    })

    it('when it is cut, or stopped', async () => {
      const target = await ScriptedSource.start()
      const server = await start({ transport: 'tcp' })
      await publishScripted(server)
      const cut = push(server, target.url())
      await isUp(server, target.url(), cut)
      for (const connection of target.connections) connection.kill()
      expect(await cut.result)
        .to.be.an('error')
        .with.property('message')
        .that.matches(/^the connection has ended: /u)
      expect(cut.isClosed()).to.equal(true)
      const stopped = push(server, target.url())
      await waitFor(() => target.methods.filter((method) => method === 'RECORD').length === 2)
      stopped.stop()
      expect(await stopped.result).to.be.an('error')
      expect(stopped.isClosed()).to.equal(true)
      await waitFor(() => target.methods.at(-1) === 'TEARDOWN')
    })
  })

  it('ends with its stream, and leaves the target', async () => {
    const target = await ScriptedSource.start()
    const server = await start()
    const publisher = await publishScripted(server)
    const pushed = push(server, target.url())
    await isUp(server, target.url(), pushed)
    pushed.close()
    expect(await pushed.result).to.include({ text: 'enough' })
    await waitFor(() => target.methods.at(-1) === 'TEARDOWN' && target.connections.size === 0)
    publisher.close()
  })
})
