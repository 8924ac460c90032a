import { expect } from 'chai'
import { ScriptedPublisher } from 'sluice/sdk/testing'
import { createTestServer, type TestServer } from 'sluice/testing'
import rtsp from '../../plugins/rtsp/index.ts'
import { publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import { waitFor } from '../peers/wait-for.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import { ReceivedUnits } from '../support/rtsp/received-units.ts'
import { rtspSource, type RtspSource } from '../support/rtsp/rtsp-source.ts'

/** ffmpeg never sends its last packet of AAC. */
const MISSING_AT_END_MS = 150
const RETRY = { maxretry: -1, retryinterval: '50ms' }

const CLIENT = { ip: '', port: 0, userAgent: 'test' }

type Server = TestServer<unknown>

async function start(config: Record<string, unknown> = {}): Promise<Server> {
  const server = await createTestServer(rtsp, { beside: ['relay'], config })
  keep({ close: () => server.stop() })
  return server
}

describe('pulls by RTSP', () => {
  let source: RtspSource
  before(async function () {
    requirePeer(this, 'ffmpeg')
    source = await rtspSource('H.264 and AAC')
  })

  it('bring every frame with its time, by each transport', async () => {
    const origin = await start({
      tcp: { listenaddr: '127.0.0.1:0', listenaddrtls: '127.0.0.1:0' },
      subscribe: { waittimeout: '1s' },
    })
    const at = `127.0.0.1:${origin.port()}/live/source`
    const rules = {
      'live/tcp': { url: `rtspt://${at}`, ...RETRY },
      'live/udp': { url: `rtspu://${at}`, ...RETRY },
      'live/auto': { url: `rtsp://${at}`, ...RETRY },
      'live/http': { url: `rtsph://${at}`, ...RETRY },
      'live/tls': { url: `rtsps://127.0.0.1:${origin.port('tls')}/live/source`, ...RETRY },
    }
    const edge = await start({ pull: rules, verifycertificate: false })
    const received = Object.keys(rules).map((path) => ReceivedUnits.of(edge.streams, path))
    const sending = publishRtspByFfmpeg(source.file, `rtsp://127.0.0.1:${origin.port()}/live/source`, 'tcp')
    const all = await Promise.all(received)
    await sending.exit
    await waitFor(() => all.every(({ events }) => events.includes('source ended')))
    for (const [index, { frames }] of all.entries()) {
      const path = Object.keys(rules)[index]!
      const { video } = compareFrames(source, frames, { late: true, missingAtEndMs: MISSING_AT_END_MS, corrections: 1 })
      expect(video.received, path).to.be.above(50)
    }
  })

  it('begin when somebody subscribes, and by TLS only where the certificate is to be trusted', async () => {
    const origin = await start({
      tcp: { listenaddr: '127.0.0.1:0', listenaddrtls: '127.0.0.1:0' },
      subscribe: { waittimeout: '1s' },
    })
    const url = `rtsps://127.0.0.1:${origin.port('tls')}/$0`
    const edge = await start({ onsub: { pull: { '^live/.+$': { url, ...RETRY } } } })
    const received = ReceivedUnits.of(edge.streams, 'live/source')
    await waitFor(() => edge.problems.some(({ msg }) => /self-signed certificate/u.test(msg)))
    await edge.configure({ onsub: { pull: { '^live/.+$': { url, ...RETRY } } }, verifycertificate: false })
    const publisher = await origin.streams.publish({ streamPath: 'live/source', url: '', query: '', client: CLIENT })
    const script = new ScriptedPublisher(publisher, { video: false })
    const timer = setInterval(() => script.write(1), 20)
    keep({ close: () => clearInterval(timer) })
    const { units } = await received
    await waitFor(() => units.length > 10)
  })
})
