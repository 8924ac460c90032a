import { expect } from 'chai'
import { parseRtpPacket, serializeRtpPacket } from 'sluice/sdk/media'
import { keep } from '../../../test/peers/lifetime.ts'
import { waitFor } from '../../../test/peers/wait-for.ts'
import { openPortPair } from '../../../test/support/rtsp/port-pair.ts'
import { RtspRig } from '../fixtures/rtsp-rig.ts'
import { parseTransports } from '../wire/transport.ts'

/** A picture by itself, as a packet of H.264: one slice, from the first macroblock on. */
const packet = (sequenceNumber: number) =>
  serializeRtpPacket({
    marker: true,
    payloadType: 96,
    sequenceNumber,
    timestamp: sequenceNumber * 3600,
    ssrc: 7,
    csrcs: [],
    extension: undefined,
    payload: Buffer.from('6588840021ff', 'hex'),
  })

describe('a reload of the RTSP plugin', () => {
  let rig: RtspRig
  beforeEach(async () => (rig = await RtspRig.start()))
  afterEach(() => expect(rig.server.problems).to.eql([]))

  async function openPorts() {
    const pair = await openPortPair()
    keep({ close: () => [pair.rtp, pair.rtcp].forEach((socket) => socket.close()) })
    return { ...pair, transport: `RTP/AVP;unicast;client_port=${pair.port}-${pair.port + 1}` }
  }

  it('lets players go on, over the connection and UDP', async () => {
    const { script } = await rig.publish()
    const [probe, other] = [await rig.connect(), await rig.connect()]
    const ports = await openPorts()
    const datagrams: string[] = []
    ports.rtp.on('message', (datagram) => datagrams.push(parseRtpPacket(datagram).payload.toString()))
    await rig.play(probe)
    await rig.play(other, 'live/a', ports.transport)
    await rig.server.replace()
    script.writeFrames(10)
    await waitFor(() => datagrams.some((text) => text.includes('video 9 ')), { what: 'the last picture over UDP' })
    const hasLast = () => probe.frames.some(({ data }) => data.includes('video 9 '))
    await waitFor(hasLast, { what: 'the last picture' })
    for (const player of [probe, other]) {
      expect((await player.request('GET_PARAMETER', rig.url())).status).to.equal(200)
      expect((await player.request('PAUSE', rig.url())).status).to.equal(200)
      expect((await player.request('TEARDOWN', rig.url())).status).to.equal(200)
    }
    await waitFor(() => rig.server.streams.subscribers('live/a').length === 0, { what: 'the end' })
  })

  it('lets publishers go on, over the connection and UDP', async () => {
    const [probe, other] = [await rig.connect(), await rig.connect()]
    const ports = await openPorts()
    await rig.setUpRecording(probe, 'live/tcp')
    await probe.request('RECORD', rig.url('live/tcp'))
    const { headers } = await rig.setUpRecording(other, 'live/udp', ports.transport)
    await other.request('RECORD', rig.url('live/udp'))
    const [transport] = parseTransports(headers.get('transport') ?? '')
    await rig.server.replace()
    let number = 0
    const timer = setInterval(() => {
      probe.writeFrame(0, packet(number))
      ports.rtp.send(packet(number++), transport?.serverPort?.first ?? 0, '127.0.0.1')
    }, 40)
    keep({ close: () => clearInterval(timer) })
    for (const streamPath of ['live/tcp', 'live/udp']) {
      const player = await rig.connect()
      await rig.play(player, streamPath)
      await waitFor(() => player.frames.length > 0, { what: `media of ${streamPath}` })
    }
    clearInterval(timer)
    for (const publisher of [probe, other]) await publisher.request('TEARDOWN', rig.url())
    await waitFor(() => rig.server.streams.list().length === 0, { what: 'the end' })
  })

  it('lets what comes then go to the new generation', async () => {
    await rig.publish()
    const probe = await rig.connect()
    await rig.play(probe)
    const older = rig.server.ctx
    await rig.server.replace()
    expect(rig.server.ctx).not.to.equal(older)
    const other = await rig.connect()
    await rig.play(other)
    // The session of the older one is none of the new one's.
    const headers = { Session: probe.session ?? '' }
    expect((await other.request('GET_PARAMETER', rig.url(), { headers })).status).to.equal(454)
    expect(rig.server.streams.subscribers('live/a')).to.have.length(2)
    await rig.server.replace()
    for (const player of [probe, other]) {
      expect((await player.request('GET_PARAMETER', rig.url())).status).to.equal(200)
    }
  })
})
