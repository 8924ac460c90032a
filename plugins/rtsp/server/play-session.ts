import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CLIENT_LEFT, type CloseReason, type SessionInit, type Subscriber } from 'sluice/sdk'
import { firstPackets } from '../media/first-packets.ts'
import { offerOf, type OfferedMedia } from '../media/offer.ts'
import { Outputs } from '../media/outputs.ts'
import { ReceiverReports } from '../media/receiver-reports.ts'
import { StartSink } from '../media/start-sink.ts'
import type { InterleavedTransport } from '../transport/interleaved-transport.ts'
import type { MediaTransport, PacketHandlers } from '../transport/media-transport.ts'
import type { UdpTransport } from '../transport/udp-transport.ts'
import type { RtspRequest } from '../wire/message/message.ts'
import { serializeRtpInfo } from '../wire/rtp-info.ts'
import type { Transport } from '../wire/transport.ts'
import { steer } from './steering.ts'
import type { BackChannel } from './back-channel.ts'
import type { MulticastGroup } from './multicast-groups.ts'
import { RtspRefusal } from './refusal.ts'
import type { RtspServerContext, SessionConnection } from './server-context.ts'
import type { HeaderFields, RtspSession, StartAnswer } from './session.ts'

/** The reason of a session that was described and not set up. The connection goes on. */
const NOT_SET_UP: CloseReason = { code: 'left', text: 'nothing was set up in time' }
const TRANSPORTS = 'RTP/AVP over TCP (interleaved) or UDP is to be had, the same for all medias'

/** One stream that a client plays: admitted by DESCRIBE, arranged by SETUP, sent from PLAY on. */
export class PlaySession implements RtspSession {
  readonly id = randomBytes(12).toString('hex')
  readonly medias: readonly OfferedMedia[]
  readonly #server: RtspServerContext
  readonly #subscriber: Subscriber
  readonly #request: SessionInit
  readonly #connection: SessionConnection
  readonly #log: Logger
  readonly #outputs = new Outputs()
  /** The addresses by which the client has named its medias, by their places. */
  readonly #urls = new Map<number, string>()
  readonly #reports = new ReceiverReports()
  readonly #back: BackChannel | undefined
  #backTransport: MediaTransport | undefined
  /** The multicast group; undefined when the session plays by unicast. */
  #group: MulticastGroup | undefined
  /** The goodbye that ends the media; undefined before PLAY. */
  #goodbye: Buffer | undefined
  #isStarted = false
  #isAdmissionOld = false
  #isClosed = false
  #seenMs = performance.now()

  /**
   * @param request the request by which the subscriber was admitted
   * @param back the back channel, when the client has required one
   * @throws {RtspRefusal} when RTP can carry no track of the stream; the subscriber is closed then
   */
  constructor(
    server: RtspServerContext,
    subscriber: Subscriber,
    request: SessionInit,
    connection: SessionConnection,
    back: BackChannel | undefined,
  ) {
    this.#back = back
    this.#server = server
    this.#subscriber = subscriber
    this.#request = request
    this.#connection = connection
    this.#log = server.ctx.log.child({ session: subscriber.id, stream: subscriber.streamPath })
    this.medias = offerOf(subscriber.tracks)
    if (this.medias.length === 0) {
      const codecs = subscriber.tracks.map(({ codec }) => codec).join(' and ')
      subscriber.close('refused')
      throw new RtspRefusal(415, `RTP can't carry ${codecs}`)
    }
    subscriber.onClose((reason) => this.#closed(reason))
  }

  get streamPath(): string {
    return this.#subscriber.streamPath
  }

  /** The length of a recording that is the client's own; undefined for a live stream. */
  get durationMs(): number | undefined {
    const position = this.#subscriber.control?.position?.()
    return position && position.toMs - position.fromMs
  }

  get ip(): string {
    return this.#connection.client.ip
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  get #isSetUp(): boolean {
    return this.#outputs.size > 0 || this.#group !== undefined || this.#backTransport !== undefined
  }

  get outlivesConnection(): boolean {
    return this.#isStarted && (this.#group !== undefined || this.#outputs.kind === 'udp')
  }

  get seenMs(): number {
    return this.#seenMs
  }

  keepAlive(): void {
    this.touch()
  }

  isOf(streamPath: string): boolean {
    return streamPath === this.#request.streamPath
  }

  /** Ends a session that has not been set up by now; a later PLAY asks the gates again. */
  outlastAdmission(): void {
    if (this.#isSetUp) this.#isAdmissionOld = true
    else this.close(NOT_SET_UP)
  }

  touch(): void {
    this.#seenMs = performance.now()
  }

  async setup({ uri }: RtspRequest, index: number | undefined, wanted: readonly Transport[]): Promise<MediaTransport> {
    if (this.#isStarted) throw new RtspRefusal(455, 'the session is playing: end it first')
    const place = index ?? (this.medias.length === 1 ? 0 : undefined)
    if (place === undefined) throw new RtspRefusal(459, 'the media has to be named, as DESCRIBE does it')
    if (place === this.medias.length && this.#back !== undefined) return this.#setupBack(this.#back, wanted)
    const media = this.medias[place]
    if (media === undefined) throw new RtspRefusal(404, `there is no media ${place}`)
    const multicast = this.#joinGroup(wanted)?.transport(place)
    if (multicast !== undefined) return multicast
    this.#outputs.delete(place)
    const transport = await this.#open(wanted)
    if (this.#isClosed) {
      transport.close()
      throw new RtspRefusal(454, 'the session has ended')
    }
    this.#outputs.set(place, { media, transport })
    this.#urls.set(place, uri)
    return transport
  }

  async play({ headers }: RtspRequest): Promise<StartAnswer> {
    await this.#askAnew()
    if (this.#group !== undefined) return this.#playInGroup(this.#group)
    if (this.#outputs.size === 0) throw new RtspRefusal(455, 'nothing has been set up')
    const steered = await steer(this.#subscriber, headers)
    if (this.#isStarted) return { headers: steered, afterwards: () => this.#subscriber.resume() }
    this.#begin(this.#outputs.kind)
    const sink = new StartSink(this.#outputs.createSink(this.#connection.stream, this.#server.ctx))
    const { muxing, goodbye } = this.#server.formats.get(this.#outputs.medias)
    this.#goodbye = goodbye
    this.#subscriber.attach(muxing, sink)
    // The first media comes in the next turn.
    await turn()
    return { headers: [...steered, ...this.#rtpInfo(sink)], afterwards: () => sink.release() }
  }

  record(): StartAnswer {
    throw new RtspRefusal(455, 'the session is one that plays')
  }

  async pause(): Promise<void> {
    if (!this.#isStarted) throw new RtspRefusal(455, 'the session does not play')
    const { control } = this.#subscriber
    if (control?.pause === undefined) this.#subscriber.pause()
    else await control.pause()
  }

  close(reason: CloseReason | string): void {
    this.#subscriber.close(reason)
  }

  /** Asks the gates whether the client may still play after a long time since its admission. @throws {SluiceError} */
  async #askAnew(): Promise<void> {
    if (this.#isStarted || !this.#isAdmissionOld) return
    try {
      await this.#server.ctx.streams.authenticate(this.#request)
    } catch (error) {
      this.close(CLIENT_LEFT)
      throw error
    }
  }

  /** The first media that is set up decides whether all go by multicast. */
  #joinGroup(wanted: readonly Transport[]): MulticastGroup | undefined {
    const [first] = wanted
    if (this.#group !== undefined || this.#outputs.size > 0 || first?.delivery !== 'multicast') return this.#group
    return (this.#group = this.#server.multicast.join(this.#subscriber.sourcePath, this.medias))
  }

  async #playInGroup(group: MulticastGroup): Promise<StartAnswer> {
    await group.begin()
    this.#begin('multicast')
    return { headers: [['Range', 'npt=now-']] }
  }

  #begin(transport: string): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const { ip, port, userAgent } = this.#connection.client
    this.#log.info({ ip, port, userAgent, transport }, 'play')
    this.#subscriber.details(() => ({ transport, ...this.#reports.details }))
  }

  async #setupBack(back: BackChannel, wanted: readonly Transport[]): Promise<MediaTransport> {
    this.#backTransport?.close()
    this.#backTransport = undefined
    for (const spec of wanted) {
      const transport = await this.#connection.openTransport(spec, {
        rtp: (packet) => {
          this.touch()
          back.rtp(packet)
        },
        rtcp: (packet) => back.rtcp(packet),
      })
      if (transport === undefined) continue
      if (this.#isClosed) {
        transport.close()
        throw new RtspRefusal(454, 'the session has ended')
      }
      return (this.#backTransport = transport)
    }
    throw new RtspRefusal(461, TRANSPORTS)
  }

  async #open(wanted: readonly Transport[]): Promise<InterleavedTransport | UdpTransport> {
    const isFirst = this.#outputs.size === 0
    for (const spec of wanted) {
      const transport = await this.#connection.openTransport(spec, this.#handlers())
      if (transport === undefined) continue
      if (isFirst || transport.isDatagram === (this.#outputs.kind === 'udp')) return transport
      transport.close()
    }
    throw new RtspRefusal(461, TRANSPORTS)
  }

  /** Players send reports; over UDP, these are their signs of life. */
  #handlers(): PacketHandlers {
    return {
      rtp: () => this.touch(),
      rtcp: (packet) => {
        this.touch()
        this.#reports.take(packet)
      },
    }
  }

  #rtpInfo(sink: StartSink): HeaderFields {
    const found = firstPackets(Buffer.concat(sink.kept))
    const entries = [...this.#urls].map(([place, url]) => ({ url, ...found.get(this.#outputs.channelAt(place)) }))
    return [['RTP-Info', serializeRtpInfo(entries)]]
  }

  #closed(reason: CloseReason): void {
    this.#isClosed = true
    // A client that has left may play another stream on the same ports by now, so nothing is sent late.
    if (reason.code === 'left') this.#outputs.close(this.#goodbye)
    else this.#outputs.end(this.#goodbye)
    this.#group?.leave()
    this.#back?.close()
    this.#backTransport?.close()
    if (this.#isStarted) this.#log.info({ reason: reason.text }, 'play ended')
    this.#server.ended(this)
    this.#connection.sessionEnded(this, reason)
  }
}
