import type { Socket } from 'node:net'
import { definePlugin, sessionClient, SluiceError, socketSink, tcpConfig, Type } from 'sluice/sdk'
import type { AccessUnit, MuxerFormat, PluginContext, Subscriber, Track } from 'sluice/sdk'
import { serveLive } from 'sluice/sdk/http'
import { FLV_FORMAT, joinAnnexB, parseAvcDecoderConfigurationRecord, TS_FORMAT } from 'sluice/sdk/media'

const MAX_REQUEST_BYTES = 600
const MAX_QUEUED_BYTES = 4 * 1024 * 1024
const PACKET_BYTES = 1200

/** Raw H.264 for machines that must not be late: a format of our own. */
const H264_FORMAT: MuxerFormat = {
  name: 'h264',
  maxMergeMs: 10,
  createMuxer: () => ({
    start: ({ tracks }) => Buffer.concat(tracks.map((track) => parameterSets(track) ?? Buffer.alloc(0))),
    configure: (track) => parameterSets(track),
    mux: (unit) => (unit.track.codec === 'h264' ? unit.annexB : null),
  }),
}

function parameterSets({ codec, config }: Track): Buffer | null {
  if (codec !== 'h264') return null
  const { sps, pps } = parseAvcDecoderConfigurationRecord(config.record)
  return joinAnnexB([...sps, ...pps])
}

const FORMATS = new Map([FLV_FORMAT, TS_FORMAT, H264_FORMAT].map((format) => [format.name, format]))

/** Plays by TCP: a client says `flv live/a`, `mpegts live/a`, `h264 live/a` or `packets live/a`, and a line feed. */
export default definePlugin({
  name: 'outlet',
  version: '1.0.0',
  config: Type.Object({ tcp: tcpConfig({ listenaddr: ':9400' }) }),
  async setup(ctx) {
    serveLive(ctx, { extension: 'flv', format: FLV_FORMAT, contentType: () => 'video/x-flv' })
    await ctx.net.tcp(ctx.config.tcp, (socket) => {
      socket.on('error', () => socket.destroy())
      socket.once('data', (bytes: Buffer) => {
        const [kind = '', streamPath = ''] = bytes.toString('utf8', 0, MAX_REQUEST_BYTES).trim().split(' ')
        void play(ctx, socket, kind, streamPath)
      })
    })
  },
})

async function play(ctx: PluginContext<unknown>, socket: Socket, kind: string, streamPath: string): Promise<void> {
  const client = sessionClient(socket)
  try {
    const subscriber = await ctx.streams.subscribe({ streamPath, url: `outlet:${streamPath}`, query: '', client })
    subscriber.onClose(() => socket.destroy())
    socket.once('close', () => subscriber.close('left'))
    const format = FORMATS.get(kind)
    if (socket.destroyed) subscriber.close('left')
    else if (format !== undefined) subscriber.attach(format, socketSink(socket))
    else sendPackets(subscriber, socket)
  } catch (error) {
    socket.destroy()
    if (!(error instanceof SluiceError)) throw error
  }
}

/** The packets of a unit, cut by the first viewer that needs them. They go when nobody has the unit any more. */
const packets = new WeakMap<AccessUnit, readonly Buffer[]>()
let unitsCut = 0

function packetsOf(unit: AccessUnit): readonly Buffer[] {
  const known = packets.get(unit)
  if (known !== undefined) return known
  const cut: Buffer[] = []
  for (let at = 0; at < unit.data.length; at += PACKET_BYTES) cut.push(unit.data.subarray(at, at + PACKET_BYTES))
  packets.set(unit, cut)
  unitsCut += 1
  return cut
}

/** Sends the main pictures as packets with a head that differs by viewer: their number, and their length. */
function sendPackets(subscriber: Subscriber, socket: Socket): void {
  let sequence = Math.floor(Math.random() * 2 ** 16)
  subscriber.details(() => ({ sequence, unitsCut }))
  socket.on('drain', () => subscriber.resume())
  subscriber.read({
    unit(unit) {
      if (unit.track.kind !== 'video') return
      let bytes = 0
      for (const packet of packetsOf(unit)) {
        const head = Buffer.allocUnsafe(4)
        sequence = (sequence + 1) % 2 ** 16
        head.writeUInt16BE(sequence, 0)
        head.writeUInt16BE(packet.length, 2)
        socket.write(head)
        socket.write(packet)
        bytes += head.length + packet.length
      }
      subscriber.account({ bytes })
      if (socket.writableLength > MAX_QUEUED_BYTES) subscriber.pause()
    },
  })
}
