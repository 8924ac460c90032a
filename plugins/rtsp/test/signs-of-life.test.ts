import { expect } from 'chai'
import { serializeRtcp } from 'sluice/sdk/media'
import { createFakeHost } from 'sluice/sdk/testing'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { ANNOUNCED, interleaved, SDP } from '../fixtures/rtsp-rig.ts'
import rtsp from '../index.ts'

const SSRC = 7
const REPORT = serializeRtcp([
  {
    kind: 'senderReport',
    ssrc: SSRC,
    ntpMs: undefined,
    rtpTimestamp: 0,
    packetCount: 1,
    octetCount: 1,
    reports: [],
  },
])
const GOODBYE = serializeRtcp([
  { kind: 'receiverReport', ssrc: SSRC, reports: [] },
  { kind: 'bye', ssrcs: [SSRC], reason: '' },
])

describe('a publisher by RTSP', () => {
  it('is alive by its keepalives, which hold for sessiontimeout, and by its reports', async () => {
    const host = await createFakeHost(rtsp, { config: { sessiontimeout: '50s' } })
    keep({ close: () => host.dispose() })
    const port = host.net.port()
    const url = `rtsp://127.0.0.1:${port}/live/a`
    const probe = await RtspProbe.connect({ port })
    await probe.request('ANNOUNCE', url, { headers: SDP, body: ANNOUNCED })
    const headers = { Transport: `${interleaved(0)};mode=record` }
    const { headers: answered } = await probe.request('SETUP', `${url}/streamid=0`, { headers })
    const [publisher] = host.streams.publishers
    await probe.request('OPTIONS', url)
    await probe.request('RECORD', url)
    expect(publisher?.signs, 'before it sends').to.eql([])
    const [session = ''] = (answered.get('session') ?? '').split(';')
    await probe.request('OPTIONS', url, { headers: { Session: session } })
    await probe.request('GET_PARAMETER', url)
    await probe.request('SET_PARAMETER', url)
    expect(publisher?.signs).to.eql([50_000, 50_000, 50_000])
    probe.writeFrame(1, GOODBYE)
    probe.writeFrame(1, Buffer.from('noise'))
    probe.writeFrame(1, REPORT)
    await waitFor(() => (publisher?.signs.length ?? 0) > 3, { what: 'the report' })
    expect(publisher?.signs.slice(3)).to.eql([0])
    probe.close()
  })
})
