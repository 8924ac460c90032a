import type { Socket } from 'node:dgram'
import { expect } from 'chai'
import { isRtcp, parseRtpPacket, serializeRtcp, serializeRtpPacket, type RtpPacket } from 'sluice/sdk/media'
import { playRtspByFfmpeg, publishRtspByFfmpeg } from '../peers/ffmpeg-rtsp.ts'
import { keep } from '../peers/lifetime.ts'
import { requirePeer } from '../peers/require-peer.ts'
import type { PeerFrame } from '../peers/rtsp.ts'
import { udpOverflows } from '../peers/udp-overflows.ts'
import { waitFor } from '../peers/wait-for.ts'
import { publishRtsp, rtspUrl } from '../robustness/support/rtsp-client.ts'
import { slicesOf, splitAtStartCodes } from '../support/rtsp/coded-picture.ts'
import { compareFrames } from '../support/rtsp/frame-comparison.ts'
import type { FlowCounts, LossPolicy } from '../support/rtsp/lossy-flow.ts'
import { LossyProxy } from '../support/rtsp/lossy-proxy.ts'
import { openPortPair } from '../support/rtsp/port-pair.ts'
import type { InterleavedFrame } from '../support/rtsp/message-reader.ts'
import { RtspProbe } from '../support/rtsp/rtsp-probe.ts'
import { rtspSource, type RtspSource } from '../support/rtsp/rtsp-source.ts'
import { startServer, type RunningServer } from '../support/server.ts'

const CONFIG = `
rtsp:
  tcp:
    listenaddr: 127.0.0.1:0
  publish:
    publishtimeout: 3s
  subscribe:
    waittimeout: 20s
`
/** Pictures from keyframe to keyframe in the sources. */
const GROUP = 25
const MISSING_AT_END_MS = 150
/** Where numbers and times of a scripted source begin: they wrap soon. */
const FIRST_NUMBER = 65_500
const FIRST_TIME = 2 ** 32 - 1000
const PICTURES = 100
const TICKS_PER_PICTURE = 3600
const SSRC = 7

type Details = Readonly<Record<string, string | number>>
type Listed = { readonly path?: string; readonly details: Details }
type Published = { readonly frames: PeerFrame[]; readonly details: Details; readonly total: FlowCounts }

const NETWORKS: readonly { readonly name: string; readonly policy: LossPolicy }[] = [
  { name: '1 % loss', policy: { dropShare: 0.01 } },
  { name: '5 % loss, disorder and duplicates', policy: { dropShare: 0.05, reorderShare: 0.05, duplicateShare: 0.05 } },
  { name: 'disorder and duplicates', policy: { reorderShare: 0.1, duplicateShare: 0.1 } },
  { name: 'two packets lost', policy: { isDropped: ({ rtcp, index }) => !rtcp && index === 60 } },
]

/** A packet that is a picture by itself. */
function picturePacket(place: number): Buffer {
  const payload = Buffer.alloc(50, 0xaa)
  payload[0] = place === 0 ? 0x65 : 0x41
  payload[49] = place + 1
  const timestamp = (FIRST_TIME + place * TICKS_PER_PICTURE) % 2 ** 32
  const sequenceNumber = (FIRST_NUMBER + place) % 2 ** 16
  return serializeRtpPacket({
    payloadType: 96,
    marker: true,
    sequenceNumber,
    timestamp,
    ssrc: SSRC,
    csrcs: [],
    payload,
  })
}

describe('RTSP over a bad network', () => {
  let server: RunningServer
  let source: RtspSource
  let published: readonly Promise<Published>[]
  /** Packets that the kernel has dropped besides, as it may on a busy machine. */
  let overflows: number
  before(async function () {
    requirePeer(this, 'ffmpeg')
    server = await startServer({ config: CONFIG })
    source = await rtspSource('H.264 and AAC')
    const before = udpOverflows()
    published = NETWORKS.map(({ policy }, index) => publish(`live/lossy${index}`, policy))
    await Promise.all(published)
    overflows = udpOverflows() - before
  })

  after(() => expect(server?.problems).to.eql([]))

  /** Publishes over UDP through a proxy; returns what a player by TCP got, and what was counted. */
  async function publish(target: string, toServer: LossPolicy): Promise<Published> {
    const proxy = await LossyProxy.start({ serverPort: server.rtspPort, policies: { toServer } })
    const sending = publishRtspByFfmpeg(source.file, `rtsp://127.0.0.1:${proxy.port}/${target}`, 'udp')
    const playing = playRtspByFfmpeg(server.rtsp(target), 'tcp', { lossy: true })
    // It still tells when it has ended, as the list does not.
    const publisher = await waitFor(() => server.server.streams.get(target)?.publisher, { what: 'the publisher' })
    const frames = await playing
    await sending.succeed()
    return { frames, details: publisher.session.details.read(), total: proxy.total('toServer') }
  }

  /** The places of the pictures that came. */
  function places(frames: readonly PeerFrame[]): number[] {
    const video = frames.filter(({ kind }) => kind === 'video')
    const slices = video.map(({ data }) => slicesOf(splitAtStartCodes(data), 'h264'))
    return slices.map((slice) => source.video.findIndex(({ data }) => data.equals(slice)))
  }

  for (const [index, { name, policy }] of NETWORKS.entries()) {
    it(`${name}: pictures are whole, and go on with a keyframe, and each packet is counted`, async () => {
      const { frames, details, total } = await published[index]!
      expect(details).to.include({ transport: 'udp', brokenPackets: 0 })
      expect(details['lostPackets']).to.be.within(total.dropped, total.dropped + overflows)
      expect(details['reorderedPackets']).to.be.within(total.reordered - overflows, total.reordered)
      expect(details['duplicatePackets']).to.be.within(total.duplicated - overflows, total.duplicated)
      expect(total.dropped > 0).to.equal(policy.dropShare !== undefined || policy.isDropped !== undefined)
      const isLossy = total.dropped + overflows > 0
      const missingAtEndMs = isLossy ? 1000 + MISSING_AT_END_MS : MISSING_AT_END_MS
      compareFrames(source, frames, { late: true, gaps: isLossy, missingAtEndMs })
      const came = places(frames)
      const afterGap = came.filter((place, at) => at > 0 && place !== came[at - 1]! + 1)
      expect(afterGap.filter((place) => place % GROUP !== 0)).to.eql([])
      if (policy.isDropped !== undefined) expect(afterGap).to.have.length.within(1, 1 + overflows)
    })
  }

  /** A player that keeps the packets of pictures, of the first media. */
  async function play(target: string, port = server.rtspPort, transport = 'RTP/AVP/TCP;unicast;interleaved=0-1') {
    const packets: RtpPacket[] = []
    const keepPicture = (packet: RtpPacket) => void (packet.marker && packets.push(packet))
    const onFrame = ({ channel, data }: InterleavedFrame) => channel === 0 && keepPicture(parseRtpPacket(data))
    const probe = await RtspProbe.connect({ port, onFrame })
    const url = rtspUrl(port, target)
    await probe.request('DESCRIBE', url)
    const { headers } = await probe.request('SETUP', `${url}/trackID=0`, { headers: { Transport: transport } })
    expect((await probe.request('PLAY', url)).status).to.equal(200)
    const serverPort = Number(/server_port=(\d+)/u.exec(headers.get('transport') ?? '')?.[1])
    return { probe, packets, serverPort }
  }

  async function ports(): Promise<{ readonly port: number; readonly rtp: Socket; readonly rtcp: Socket }> {
    const pair = await openPortPair()
    for (const socket of [pair.rtp, pair.rtcp]) keep({ close: () => void socket.close() })
    return pair
  }

  /** Publishes pictures over UDP by hand; each is sent when the one before has come to `player`. */
  async function sendPictures(player: () => Promise<{ readonly packets: readonly RtpPacket[] }>, target: string) {
    const own = await ports()
    const transport = `RTP/AVP;unicast;client_port=${own.port}-${own.port + 1};mode=record`
    const { agreed } = await publishRtsp(server.rtspPort, target, transport)
    const serverPort = Number(/server_port=(\d+)/u.exec(agreed)?.[1])
    const send = (place: number) => own.rtp.send(picturePacket(place), serverPort, '127.0.0.1')
    send(0)
    const { packets } = await player()
    for (let place = 1; place < PICTURES; place++) {
      send(place)
      if (place % 10 === 0) await waitFor(() => packets.length > place, { what: `picture ${place}` })
    }
    await waitFor(() => packets.length === PICTURES, { what: 'all pictures' })
    return packets
  }

  it('goes on when sequence numbers and times of a source wrap', async () => {
    const packets = await sendPictures(() => play('live/wraps'), 'live/wraps')
    expect(packets.map(({ payload }) => payload.at(-1))).to.eql(
      Array.from({ length: PICTURES }, (_, place) => place + 1),
    )
    const [first] = packets
    const shifts = packets.map(({ timestamp, sequenceNumber }, place) => [
      (timestamp - first!.timestamp - place * TICKS_PER_PICTURE) | 0,
      (sequenceNumber - first!.sequenceNumber - place) & 0xffff,
    ])
    expect(shifts.filter(([time, number]) => time !== 0 || number !== 0)).to.eql([])
    const streams = (await server.api('/api/stream/list')).body.data as readonly Listed[]
    expect(streams.find(({ path }) => path === 'live/wraps')?.details).to.include({
      lostPackets: 0,
      reorderedPackets: 0,
      duplicatePackets: 0,
      brokenPackets: 0,
    })
  })

  it('shows what a player over UDP has lost, and spares the others', async () => {
    const target = 'live/lossy-player'
    const policies = { toClient: { isDropped: ({ rtcp, index }) => !rtcp && index % 10 === 5 } satisfies LossPolicy }
    const proxy = await LossyProxy.start({ serverPort: server.rtspPort, policies })
    const own = await ports()
    const came: RtpPacket[] = []
    own.rtp.on('message', (datagram: Buffer) => void (!isRtcp(datagram) && came.push(parseRtpPacket(datagram))))
    let relayPort = 0
    const packets = await sendPictures(async () => {
      const player = await play(target)
      const transport = `RTP/AVP;unicast;client_port=${own.port}-${own.port + 1}`
      relayPort = (await play(target, proxy.port, transport)).serverPort
      return player
    }, target)
    expect(packets.map(({ payload }) => payload.at(-1))).to.eql(
      Array.from({ length: PICTURES }, (_, place) => place + 1),
    )
    // Parameter sets are a packet of their own.
    await waitFor(() => proxy.total('toClient').came === PICTURES + 1, { what: 'all to pass' })
    const { dropped } = proxy.total('toClient')
    expect(dropped).to.equal(10)
    await waitFor(() => came.length === PICTURES + 1 - dropped, { what: 'what is not lost' })
    const block = {
      ssrc: came[0]!.ssrc,
      fractionLost: 26,
      cumulativeLost: dropped,
      highestSequenceNumber: 0,
      jitter: 0,
      lastSenderReport: 0,
      delaySinceLastSenderReport: 0,
    }
    const report = serializeRtcp([{ kind: 'receiverReport', ssrc: 1, reports: [block] }])
    own.rtcp.send(report, relayPort + 1, '127.0.0.1')
    await waitFor(
      async () => {
        const all = (await server.api('/api/subscribers')).body.data as readonly Listed[]
        return all.some(({ details }) => details['lostPackets'] === dropped && details['lossPercent'] === 10)
      },
      { what: 'the loss to show' },
    )
  })
})
