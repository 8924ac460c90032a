import { expect } from 'chai'
import { pullRequest } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { ReceivedUnits } from '../../../test/support/rtsp/received-units.ts'
import { PCMU_MEDIA, ScriptedSource, type ScriptedSourceInit } from '../../../test/support/rtsp/scripted-source.ts'
import { RtspRig } from '../fixtures/rtsp-rig.ts'

const PATH = 'live/camera'
const MIN_UNITS = 5

/** Sources that answer otherwise than asked, all of which ffmpeg plays. */
const SOURCES: readonly (ScriptedSourceInit & { readonly name: string; readonly scheme: 'rtspt' | 'rtspu' })[] = [
  { name: 'answers SETUP without a transport', scheme: 'rtspt', transportOf: () => undefined },
  { name: 'answers SETUP with a transport that is none', scheme: 'rtspt', transportOf: () => 'TCP;unicast' },
  { name: 'names no channels', scheme: 'rtspt', transportOf: () => 'RTP/AVP/TCP;unicast;ssrc=1234ABCD;mode="PLAY"' },
  { name: 'names channels and no TCP', scheme: 'rtspt', transportOf: () => 'RTP/AVP;unicast;interleaved=0-1' },
  { name: 'names no session', scheme: 'rtspt', session: '' },
  { name: 'has an odd name for its session', scheme: 'rtspt', session: '"a, b":{c};timeout="60"' },
  {
    name: 'sends more than it should between packets',
    scheme: 'rtspt',
    stray: '\x9b\x03$\x77\xff\xff\x10xyz\r\n\r\nabc ',
  },
  { name: 'describes itself in 100 KB', scheme: 'rtspt', attributes: `a=x-key:${'A'.repeat(990)}\r\n`.repeat(100) },
  { name: 'says that it is it that sends', scheme: 'rtspt', medias: `${PCMU_MEDIA}a=sendonly\r\n` },
  { name: 'answers SETUP without a transport, by UDP', scheme: 'rtspu', transportOf: () => undefined },
  { name: 'names no ports', scheme: 'rtspu', transportOf: (text) => text.replace(/;server_port=.*$/u, '') },
  { name: 'names port 0', scheme: 'rtspu', transportOf: (text) => text.replace(/server_port=.*$/u, 'server_port=0-1') },
  {
    name: 'names ports in wrong order',
    scheme: 'rtspu',
    transportOf: (text) => text.replace(/(server_port=\d+).*$/u, '$1-5'),
  },
]

describe('a pull by RTSP from a source that', () => {
  let rig: RtspRig
  before(async () => {
    rig = await RtspRig.start()
  })

  async function pull(init: ScriptedSourceInit, scheme: string) {
    const source = await ScriptedSource.start(init)
    const stop = new AbortController()
    keep({ close: () => stop.abort() })
    const request = pullRequest({ url: source.url('', scheme), streamPath: PATH, signal: stop.signal })
    const ended = rig.server.ctx.services.get('pull:rtsp')!.pull(request)
    ended.catch(() => {})
    return { source, ended, stop }
  }

  for (const { name, scheme, ...init } of SOURCES) {
    it(name, async () => {
      const { source, ended, stop } = await pull(init, scheme)
      const received = await ReceivedUnits.of(rig.server.streams, PATH)
      await waitFor(() => received.units.length >= MIN_UNITS, { what: 'sound' })
      const [first = 0, ...others] = received.timesMs('audio')
      expect(others).to.eql(others.map((_, index) => first + (index + 1) * 20))
      expect(source.methods.filter((method) => method === 'PLAY')).to.have.length(1)
      received.subscriber.close()
      stop.abort()
      await ended.catch(() => {})
    })
  }

  it('has nothing that can be taken says what that is', async () => {
    const medias = 'm=video 0 RTP/AVP 96\r\na=rtpmap:96 H266/90000\r\na=control:1\r\n'
    const { ended } = await pull({ medias }, 'rtspt')
    const error = await ended.catch((thrown: unknown) => thrown)
    expect(String(error)).to.include(
      'the source offers nothing that can be taken: video H266/90000: RTP payloads of H266 are not supported',
    )
  })
})
