import {
  parseRtpPacket,
  parseSdp,
  RtpClock,
  RtpReceiver,
  rtpFormatsOf,
  sdpAttribute,
  type RtpFormat,
} from 'sluice/sdk/media'
import { keep } from '../../peers/lifetime.ts'
import { openPortPair } from '../rtsp/port-pair.ts'
import { RtspProbe } from '../rtsp/rtsp-probe.ts'
import type { ShowViewer } from './show-viewer.ts'
import type { UnitWatch } from './unit-watch.ts'

/** How long pictures wait for those that are shown before them. */
const MAX_REORDER_MS = 250

/** Plays by RTSP, in the connection or in datagrams. */
export async function watchRtsp(url: string, transport: 'TCP' | 'UDP', watch: UnitWatch): Promise<ShowViewer> {
  const medias: Media[] = []
  const probe = await RtspProbe.connect({
    port: Number(new URL(url).port),
    onFrame: ({ channel, data }) => {
      if (channel % 2 === 0) medias[channel / 2]?.take(data)
    },
  })
  const ask = async (method: string, address: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await probe.request(method, address, { headers })
    if (answer.status !== 200) throw new Error(`${method} ${address} was answered ${answer.startLine}`)
    return answer
  }
  const { body } = await ask('DESCRIBE', url)
  const sockets: (() => void)[] = []
  for (const [index, media] of parseSdp(body.toString()).media.entries()) {
    const one = new Media(rtpFormatsOf(media)[0]!, watch, transport === 'UDP')
    medias.push(one)
    const control = new URL(sdpAttribute(media.attributes, 'control')!.value!, `${url}/`).href
    if (transport === 'TCP') {
      await ask('SETUP', control, { Transport: `RTP/AVP/TCP;unicast;interleaved=${2 * index}-${2 * index + 1}` })
      continue
    }
    const { port, rtp, rtcp } = await openPortPair()
    const close = () => [rtp, rtcp].forEach((socket) => socket.close())
    sockets.push(close)
    rtp.on('message', (packet) => one.take(packet))
    await ask('SETUP', control, { Transport: `RTP/AVP;unicast;client_port=${port}-${port + 1}` })
  }
  const letGo = keep({ close: () => sockets.forEach((close) => close()) })
  await ask('PLAY', url)
  const close = () => {
    letGo()
    sockets.forEach((closeSockets) => closeSockets())
    probe.close()
  }
  return { way: `RTSP by ${transport}`, watch, isGone: () => probe.isClosed, close }
}

/** The packets of one media: their units, and how their times go on. */
class Media {
  readonly #receiver: RtpReceiver
  readonly #watch: UnitWatch
  readonly #maxStepBack: number
  readonly #inOrder: boolean
  #last: number | undefined

  constructor(format: RtpFormat, watch: UnitWatch, datagrams: boolean) {
    // Each media has a clock of its own: without reports, one that is shared moves sound into step by when frames come.
    const clock = new RtpClock()
    const reorder = datagrams ? { maxPackets: 1024, maxDelayMs: 1000 } : { maxPackets: 0, maxDelayMs: 0 }
    this.#receiver = new RtpReceiver({ format, sink: watch, clock, reorder })
    this.#watch = watch
    this.#inOrder = !datagrams
    const isVideo = format.clockRate === 90_000
    this.#maxStepBack = isVideo ? (MAX_REORDER_MS * format.clockRate) / 1000 : 0
  }

  take(packet: Buffer): void {
    const { timestamp } = parseRtpPacket(packet)
    const step = this.#last === undefined ? 0 : (timestamp - this.#last) | 0
    if (this.#inOrder && -step > this.#maxStepBack) this.#watch.note(`an RTP time steps back by ${-step}`)
    this.#last = timestamp
    this.#receiver.push(packet, performance.now())
  }
}
