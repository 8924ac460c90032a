import {
  createRtpDepacketizer,
  parseRtpPacket,
  parseSdp,
  rtpFormatsOf,
  sdpAttribute,
  type MediaDescription,
} from 'sluice/sdk/media'
import { RtspHeaders } from '../../../plugins/rtsp/wire/message/headers.ts'
import type { RtspResponse } from '../../../plugins/rtsp/wire/message/message.ts'
import { RtspReader } from '../../../plugins/rtsp/wire/message/reader.ts'
import { serializeRequest } from '../../../plugins/rtsp/wire/message/serialize.ts'
import { controlUrl } from '../../../plugins/rtsp/wire/url.ts'
import { openPortPair, type PortPair } from '../../support/rtsp/port-pair.ts'
import { findMarkers } from '../media/marker.ts'
import type { Player, PlayerEvents, Target } from './player.ts'

/** Larger than the group of pictures that a viewer begins with. */
const RECEIVE_BUFFER_BYTES = 1024 * 1024

/** Plays by RTSP, in the connection or in datagrams. */
export class RtspPlayer implements Player {
  readonly #target: Target
  readonly #events: PlayerEvents
  readonly #reader = new RtspReader()
  readonly #pairs: PortPair[] = []
  readonly #depacketizers = new Map<number, ReturnType<typeof createRtpDepacketizer>>()
  #answered: ((response: RtspResponse) => void) | undefined
  #session: string | undefined
  /** Of the packet of pictures that is to come next. */
  #nextNumber: number | undefined
  #cseq = 0

  constructor(target: Target, events: PlayerEvents) {
    this.#target = target
    this.#events = events
  }

  start(): void {
    this.#play().catch((error: unknown) => this.#events.failed(String(error)))
  }

  receive(bytes: Buffer): void {
    this.#reader.push(bytes)
    for (let message = this.#reader.read(); message !== null; message = this.#reader.read()) {
      if (message.kind === 'response') this.#answered?.(message)
      else if (message.kind === 'interleaved') this.#take(message.channel, message.payload)
    }
  }

  close(): void {
    for (const { rtp, rtcp } of this.#pairs.splice(0)) {
      rtp.close()
      rtcp.close()
    }
  }

  async #play(): Promise<void> {
    const { port, path } = this.#target
    const url = `rtsp://127.0.0.1:${port}/${path}`
    const { headers, body } = await this.#request('DESCRIBE', url)
    for (const [index, media] of parseSdp(body.toString()).media.entries()) {
      const control = sdpAttribute(media.attributes, 'control')?.value ?? ''
      const Transport = await this.#transportOf(media, index * 2)
      await this.#request('SETUP', controlUrl(headers.get('content-base') ?? url, control), { Transport })
    }
    await this.#request('PLAY', url)
  }

  async #transportOf(media: MediaDescription, channel: number): Promise<string> {
    const [format] = rtpFormatsOf(media)
    if (media.type === 'video' && format !== undefined) this.#depacketizers.set(channel, createRtpDepacketizer(format))
    if (this.#target.format === 'rtsp') return `RTP/AVP/TCP;unicast;interleaved=${channel}-${channel + 1}`
    const pair = await openPortPair()
    this.#pairs.push(pair)
    pair.rtp.setRecvBufferSize(RECEIVE_BUFFER_BYTES)
    pair.rtp.on('message', (datagram) => {
      if (this.#events.received(datagram.length)) this.#take(channel, datagram)
    })
    return `RTP/AVP;unicast;client_port=${pair.port}-${pair.port + 1}`
  }

  /** @throws {Error} when it is refused */
  async #request(method: string, uri: string, fields: Readonly<Record<string, string>> = {}): Promise<RtspResponse> {
    const { promise, resolve } = Promise.withResolvers<RtspResponse>()
    this.#answered = resolve
    const headers = new RtspHeaders(Object.entries(fields))
    if (this.#session !== undefined) headers.append('Session', this.#session)
    this.#events.send(serializeRequest({ method, uri, cseq: ++this.#cseq, headers }))
    const response = await promise
    if (response.status !== 200) throw new Error(`${response.status} ${response.reason} to ${method}`)
    this.#session ??= response.headers.get('session')?.split(';')[0]
    return response
  }

  #take(channel: number, bytes: Buffer): void {
    const depacketizer = this.#depacketizers.get(channel)
    if (depacketizer === undefined) return
    const packet = parseRtpPacket(bytes)
    const follows = this.#nextNumber === undefined || packet.sequenceNumber === this.#nextNumber
    this.#nextNumber = (packet.sequenceNumber + 1) & 0xffff
    for (const frame of depacketizer.push(packet, follows)) {
      const marker = 'nalus' in frame ? findMarkers(Buffer.concat(frame.nalus))[0] : undefined
      this.#events.picture({ keyframe: frame.keyframe, marker: marker ?? null })
    }
  }
}
