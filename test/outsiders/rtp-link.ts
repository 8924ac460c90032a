import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { definePlugin, PortRange, StreamNotFound, SluiceError, Type, type Publisher, type Track } from 'sluice/sdk'
import {
  createRtpPacketizer,
  isRtcp,
  MalformedError,
  parseRtcp,
  parseSdp,
  randomRtpStart,
  RtpClock,
  RtpReceiver,
  rtpFormatAttributes,
  rtpFormatOfTrack,
  rtpFormatProblem,
  rtpFormatsOf,
  RtpSender,
  serializeRtpReport,
  serializeSdp,
  type RtpFormat,
} from 'sluice/sdk/media'

const MAX_PAYLOAD_BYTES = 1400
const REPORT_MS = 1000
const TICK_MS = 20
const REORDER = { maxPackets: 512, maxDelayMs: 200 }
const HERE = '127.0.0.1'
const CNAME = 'rtp-link'
const SESSION = { url: '', query: '', client: { ip: HERE, port: 0, userAgent: 'rtp-link' } } as const

/** Sends streams to, and takes them from, UDP ports of this machine, as a session description says. */
export default definePlugin({
  name: 'rtp-link',
  version: '1.0.0',
  config: Type.Object({ mediaports: PortRange({ default: '20001-30000', description: 'Ports for media' }) }),
  setup(ctx) {
    type Stream = { Params: { '*': string } }

    ctx.http.get<Stream>('/sdp/*', ({ params }) => describe(ctx.streams.get(params['*'])?.tracks ?? []))

    /** Takes a stream: the body is its description, the answer a port for each of its medias. */
    ctx.http.post<Stream & { Body: string }>('/in/*', async ({ params, body }) => {
      const formats = receivable(body)
      const publisher = await ctx.streams.publish({ ...SESSION, type: 'api', streamPath: params['*'] })
      const clock = new RtpClock()
      return Promise.all(formats.map((format) => receive(publisher, format, clock)))
    })

    /** Sends a stream to a port for each of its medias. */
    ctx.http.post<Stream & { Body: readonly number[] }>('/out/*', async ({ params, body }) => {
      const subscriber = await ctx.streams.subscribe({ ...SESSION, type: 'push', streamPath: params['*'] })
      const socket = await ctx.net.udpPort(ctx.config.mediaports, () => false)
      subscriber.onClose(() => void socket.close())
      const outlets = new Map(
        carried(subscriber.tracks).map(({ track, format }, index) => [
          track.id,
          createOutlet(track, format, body[index]!),
        ]),
      )
      subscriber.read({
        unit(unit) {
          const outlet = outlets.get(unit.track.id)
          if (outlet === undefined) return
          const { sender, packetizer, peer } = outlet
          const timestamp = sender.timestampOf(unit.pts, unit.track.timescale)
          const packets = packetizer.packetize(unit).map((payload) => sender.serialize([payload], timestamp))
          const timeMs = (unit.pts / unit.track.timescale) * 1000
          if (timeMs - outlet.reportedMs >= REPORT_MS) {
            outlet.reportedMs = timeMs
            packets.push(serializeRtpReport(sender.report(Date.now(), timestamp), CNAME))
          }
          socket.send(packets, peer)
          subscriber.account({ bytes: packets.reduce((sum, { length }) => sum + length, 0) })
        },
      })
      return {}
    })

    async function receive(publisher: Publisher, format: RtpFormat, clock: RtpClock): Promise<number> {
      const receiver = new RtpReceiver({ format, sink: publisher, clock, reorder: REORDER })
      const listener = await ctx.net.udpPort(ctx.config.mediaports, (datagram, { remoteAddress }) => {
        if (remoteAddress !== HERE) return false
        if (!isRtcp(datagram)) receiver.push(datagram, performance.now())
        else
          for (const message of parseRtcp(datagram))
            if (message.kind === 'senderReport') receiver.report(message, performance.now())
        return true
      })
      const stopTicking = ctx.setInterval(() => receiver.tick(performance.now()), TICK_MS)
      publisher.onClose(() => {
        stopTicking()
        void listener.close()
      })
      return listener.address.port
    }
  },
})

/** The formats of a description's medias. @throws {SluiceError} when one of them can't be received */
function receivable(sdp: string): RtpFormat[] {
  try {
    return parseSdp(sdp).media.map((media) => {
      const format = rtpFormatsOf(media).find((one) => rtpFormatProblem(one) === undefined)
      if (format === undefined) throw new MalformedError(`${media.type} comes in no format that is known`)
      return format
    })
  } catch (error) {
    if (error instanceof MalformedError) throw new SluiceError('BAD_SDP', 415, error.message)
    throw error
  }
}

/** Returns the tracks of a stream that RTP can carry, each with its format. */
function carried(tracks: readonly Track[]) {
  return tracks.flatMap((track, index) => {
    const format = rtpFormatOfTrack(track, 96 + index)
    return format === undefined ? [] : [{ track, format }]
  })
}

function describe(tracks: readonly Track[]): string {
  const medias = carried(tracks)
  if (medias.length === 0) throw new StreamNotFound()
  return serializeSdp({
    origin: { username: '-', sessionId: '0', sessionVersion: '0', addressType: 'IP4', address: HERE },
    name: '-',
    times: [{ startSeconds: 0, stopSeconds: 0 }],
    connection: { addressType: 'IP4', address: HERE },
    attributes: [],
    lines: [],
    media: medias.map(({ track, format }) => ({
      type: track.kind,
      port: 0,
      protocol: 'RTP/AVP',
      formats: [String(format.payloadType)],
      attributes: rtpFormatAttributes(format),
      lines: [],
    })),
  })
}

/** Creates the sender of a track to a port. */
function createOutlet(track: Track, format: RtpFormat, port: number) {
  const sender = new RtpSender({ format, ...randomRtpStart(randomBytes(10)) })
  const peer = { remoteAddress: HERE, remotePort: port }
  return { sender, packetizer: createRtpPacketizer(track, MAX_PAYLOAD_BYTES), peer, reportedMs: -Infinity }
}
