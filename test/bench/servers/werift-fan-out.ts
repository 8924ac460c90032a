/** The process that is measured as `werift.ts`: it plays one stream by RTMP, cuts it once, and hands it to werift's peers. */
import { createServer } from 'node:http'
import { connect } from 'node:net'
import {
  FlvTagDemuxer,
  FLV_TAG_TYPE,
  RtpSender,
  createRtpPacketizer,
  type AccessUnit,
  type Track,
} from 'sluice/sdk/media'
import { MediaStreamTrack, RTCPeerConnection, useH264 } from 'werift'
import { RtmpClient } from '../../../plugins/rtmp/client/rtmp-client.ts'
import { CountingSink } from '../units/recorded-units.ts'

const [, , rtmpPort, httpPort] = process.argv
/** As large as browsers take them, with room for headers. */
const MAX_PAYLOAD_BYTES = 1200
const RTP_TICKS_PER_SECOND = 90_000
const PAYLOAD_TYPE = 102
const FORMAT = { payloadType: PAYLOAD_TYPE, clockRate: RTP_TICKS_PER_SECOND }
const CODEC = useH264({
  payloadType: PAYLOAD_TYPE,
  parameters: 'level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f',
})

/** Sends each unit of video to all peers, by the track that they share. */
class PeersSink extends CountingSink {
  readonly media = new MediaStreamTrack({ kind: 'video' })
  readonly #sender = new RtpSender({ format: FORMAT, ssrc: 7, sequenceNumber: 0, timestampOffset: 0 })
  #packetizer: ReturnType<typeof createRtpPacketizer> | undefined
  #trackId: number | undefined

  override addTrack(...[init]: Parameters<CountingSink['addTrack']>): Track {
    const track = super.addTrack(init)
    if (track.kind === 'video') {
      this.#packetizer = createRtpPacketizer(track, MAX_PAYLOAD_BYTES)
      this.#trackId = track.id
    }
    return track
  }

  override write(unit: AccessUnit): void {
    if (unit.track.id !== this.#trackId) return
    const timestamp = this.#sender.timestampOf(unit.pts, unit.track.timescale)
    for (const payload of this.#packetizer!.packetize(unit)) {
      this.media.writeRtp(this.#sender.serialize([payload], timestamp))
    }
  }
}

const sinks = new Map<string, PeersSink>()
const peers = new Set<RTCPeerConnection>()

createServer((request, response) => {
  const path = request.url!.slice(1)
  let offer = ''
  request.on('data', (bytes: Buffer) => (offer += bytes.toString()))
  request.on('end', () => {
    answer(path, offer).then(
      (sdp) => response.writeHead(201, { 'content-type': 'application/sdp' }).end(sdp),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
}).listen(Number(httpPort), '127.0.0.1')

async function answer(path: string, offer: string): Promise<string> {
  const sink = sinks.get(path) ?? (await play(path))
  const peer = new RTCPeerConnection({
    codecs: { video: [CODEC], audio: [] },
    iceServers: [],
    iceAdditionalHostAddresses: ['127.0.0.1'],
  })
  peers.add(peer)
  peer.addTransceiver(sink.media, { direction: 'sendonly' })
  await peer.setRemoteDescription({ type: 'offer', sdp: offer })
  await peer.setLocalDescription(await peer.createAnswer())
  return peer.localDescription!.sdp
}

async function play(path: string): Promise<PeersSink> {
  const sink = new PeersSink()
  sinks.set(path, sink)
  const demuxer = new FlvTagDemuxer(sink)
  const client = new RtmpClient({
    url: `rtmp://127.0.0.1:${rtmpPort}/${path}`,
    socket: connect(Number(rtmpPort), '127.0.0.1'),
    signedHandshake: false,
    onMedia: ({ typeId, timestamp, payload }) => {
      if (typeId === FLV_TAG_TYPE.video) demuxer.video(timestamp, payload)
    },
  })
  await client.connect()
  await client.play()
  return sink
}
