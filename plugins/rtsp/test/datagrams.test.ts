import { expect } from 'chai'
import { serializeRtcp } from 'sluice/sdk/media'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import type { RtspAnswer, RtspProbe } from '../../../test/support/rtsp/rtsp-probe.ts'
import { picturePacket, pictureNumber } from '../../../test/robustness/support/rtsp-client.ts'
import { isGoodbye, openClientPorts, overUdp, type ClientPorts } from '../fixtures/client-ports.ts'
import { interleaved, packetsOn, RtspRig } from '../fixtures/rtsp-rig.ts'
import { parseTransports } from '../wire/transport.ts'

const receiverReport = () => serializeRtcp([{ kind: 'receiverReport', ssrc: 1, reports: [] }])

function serverPorts({ headers }: RtspAnswer): readonly [number, number] {
  const [transport] = parseTransports(headers.get('transport') ?? '')
  return [transport?.serverPort?.first ?? 0, transport?.serverPort?.last ?? 0]
}

describe('RTSP sessions over UDP', () => {
  let rig: RtspRig
  let probe: RtspProbe
  let ports: ClientPorts
  beforeEach(async () => {
    rig = await RtspRig.start({ tcp: { listenaddr: ':0' } })
    probe = await rig.connect()
    ports = await openClientPorts()
  })
  afterEach(() => expect(rig.server.problems).to.eql([]))

  const players = () => rig.server.streams.subscribers('live/a')

  /** Sends reports as long as a test lasts. */
  function stayAlive(rtcpPort: number): () => void {
    const timer = setInterval(() => ports.rtcp.send(receiverReport(), rtcpPort, '127.0.0.1'), 100)
    const stop = () => clearInterval(timer)
    keep({ close: stop })
    return stop
  }

  it('are sent media from the ports that they were told', async () => {
    await rig.publish()
    const answer = await rig.setUp(probe, 'live/a', overUdp(ports))
    const [rtp, rtcp] = serverPorts(answer)
    expect(rtp % 2).to.equal(0)
    expect(rtcp).to.equal(rtp + 1)
    const sources: number[] = []
    ports.rtp.on('message', (_, { port }) => sources.push(port))
    await probe.request('PLAY', rig.url())
    await waitFor(() => sources.length > 0 && ports.reports.length > 0, { what: 'media' })
    expect(new Set(sources)).to.eql(new Set([rtp]))
    expect(answer.headers.get('session')).to.include(';timeout=60')
  })

  it('are not what a player gets whose address asks for TCP', async () => {
    await rig.publish()
    const url = `${rig.url()}/trackID=0?transport=tcp`
    const setUp = (transport: string) => probe.request('SETUP', url, { headers: { Transport: transport } })
    expect((await setUp(overUdp(ports))).status).to.equal(461)
    const answer = await setUp(`${overUdp(ports)},${interleaved(0)}`)
    expect(answer.headers.get('transport')).to.include('TCP;unicast;interleaved=0-1')
  })

  it('are closed when they fall silent, with a goodbye, and others are not', async () => {
    await rig.server.configure({ sessiontimeout: '2s', tcp: { listenaddr: ':0' } })
    await rig.publish()
    const [, rtcp] = serverPorts(await rig.setUp(probe, 'live/a', overUdp(ports)))
    await probe.request('PLAY', rig.url())
    const stop = stayAlive(rtcp)
    const keepers: [string, RtspProbe][] = [
      ['OPTIONS', await rig.connect()],
      ['GET_PARAMETER', await rig.connect()],
    ]
    for (const [, keeper] of keepers) await rig.play(keeper, 'live/a', overUdp(await openClientPorts()))
    const silentPorts = await openClientPorts()
    await rig.play(await rig.connect(), 'live/a', overUdp(silentPorts))
    const hasEnded = async () => {
      for (const [method, keeper] of keepers) await keeper.request(method, rig.url())
      return players().length === 3
    }
    await waitFor(hasEnded, { what: 'the silent session to end' })
    const ends = rig.server.log.filter(({ msg }) => msg === 'play ended')
    expect(ends.map(({ reason }) => reason)).to.eql(['the client gives no sign of life'])
    await waitFor(() => silentPorts.reports.some(isGoodbye), { what: 'a goodbye' })
    stop()
    await waitFor(() => players().length === 0, { what: 'the others to end' })
  })

  it('go on without their connection, and obey another one of the same address', async () => {
    const { script } = await rig.publish()
    await rig.play(probe, 'live/a', overUdp(ports))
    probe.close()
    await probe.closed
    const other = await rig.connect()
    await other.request('OPTIONS', '*')
    const before = ports.packets.length
    script.writeFrames(10)
    await waitFor(() => ports.packets.length > before, { what: 'media' })

    const headers = { Session: probe.session ?? '' }
    expect((await other.request('PAUSE', rig.url(), { headers })).status).to.equal(200)
    expect((await other.request('PLAY', rig.url(), { headers })).status).to.equal(200)
    expect((await other.request('TEARDOWN', rig.url(), { headers })).status).to.equal(200)
    await waitFor(() => players().length === 0, { what: 'the end' })
    expect((await other.request('PLAY', rig.url(), { headers })).status).to.equal(454)
  })

  it('of a publisher end after what it sent before it left', async () => {
    const [rtp] = serverPorts(await rig.setUpRecording(probe, 'live/in', overUdp(ports)))
    await probe.request('RECORD', rig.url('live/in'))
    const player = await rig.connect()
    const playing = rig.play(player, 'live/in')
    ports.rtp.send(picturePacket(0), rtp, '127.0.0.1')
    expect((await playing).status).to.equal(200)
    for (let number = 1; number <= 200; number++) ports.rtp.send(picturePacket(number), rtp, '127.0.0.1')
    await probe.request('TEARDOWN', rig.url('live/in'))
    const numbers = () => packetsOn(player, 0).flatMap(({ marker, payload }) => (marker ? pictureNumber(payload) : []))
    await waitFor(() => numbers().length === 201, { what: 'the pictures' })
    expect(numbers()).to.eql(Array.from({ length: 201 }, (_, index) => index))
  })

  it('do not obey another address', async () => {
    await rig.publish()
    await rig.play(probe, 'live/a', overUdp(ports))
    const stranger = await rig.connect('::1')
    const headers = { Session: probe.session ?? '' }
    for (const method of ['PLAY', 'PAUSE', 'TEARDOWN', 'SETUP', 'GET_PARAMETER', 'OPTIONS', 'RECORD']) {
      const { status } = await stranger.request(method, rig.url(), {
        headers: { ...headers, Transport: overUdp(ports) },
      })
      expect(status, method).to.equal(454)
    }
    expect(players()).to.have.length(1)
  })
})
