import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import type { Logger } from 'pino'
import { CLIENT_LEFT, type CloseReason, type Publisher } from 'sluice/sdk'
import { MP2T_ENCODING, sdpAttribute, type MediaDescription, type RtpFormat } from 'sluice/sdk/media'
import { receivableFormat, type ReceivableFormat } from '../media/receivable-format.ts'
import { RtspIngest, type ReceivedMedia } from '../media/to-stream.ts'
import type { MediaTransport } from '../transport/media-transport.ts'
import type { RtspRequest } from '../wire/message/message.ts'
import type { Transport } from '../wire/transport.ts'
import { RtspRefusal } from './refusal.ts'
import type { RtspServerContext, SessionConnection } from './server-context.ts'
import type { RtspSession, StartAnswer } from './session.ts'

const LEFT_OUT = 'a track is left out: its format is not supported'
/** The most medias that an answer names. */
const MAX_SHOWN = 8
const CODEC_ADVICE = 'send H.264 and AAC, which every player takes'
/** The most turns in which the last packets of a client that has left are read, a few dozen packets each. */
const MAX_LAST_TURNS = 64

/** A media as it was announced. */
type AnnouncedMedia = ReceivableFormat & { readonly description: MediaDescription }

/** One stream that a client publishes: announced by ANNOUNCE, arranged by SETUP, taken from RECORD on. */
export class PublishSession implements RtspSession {
  readonly id = randomBytes(12).toString('hex')
  readonly #server: RtspServerContext
  readonly #connection: SessionConnection
  readonly #streamPath: string
  readonly #medias: readonly AnnouncedMedia[]
  readonly #transports = new Map<number, MediaTransport>()
  #publisher: Publisher | undefined
  #log: Logger
  #ingest: RtspIngest | undefined
  #isComplete = false
  #isClosed = false
  #seenMs = performance.now()

  /**
   * @param streamPath the path that the client named
   * @throws {RtspRefusal} when no media that was announced can be received
   */
  constructor(
    server: RtspServerContext,
    streamPath: string,
    medias: readonly MediaDescription[],
    connection: SessionConnection,
  ) {
    this.#server = server
    this.#connection = connection
    this.#streamPath = streamPath
    this.#log = server.ctx.log
    this.#medias = medias.map((description) => ({ ...receivableFormat(description), description }))
    const problems = this.#medias.flatMap(({ problem }) => problem ?? [])
    if (problems.length === medias.length) {
      throw new RtspRefusal(
        415,
        `nothing of what was announced can be taken: ${problems.slice(0, MAX_SHOWN).join('; ')}`,
      )
    }
  }

  get ip(): string {
    return this.#connection.client.ip
  }

  get isStarted(): boolean {
    return this.#ingest !== undefined
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** A source that has lost its connection is about to come back, and needs its path then. */
  get outlivesConnection(): boolean {
    return false
  }

  get seenMs(): number {
    return this.#seenMs
  }

  /** True when all medias are MPEG-2 TS, which has 33-bit timestamps. */
  get isTransportStream(): boolean {
    return this.#medias.every(({ format }) => format?.encodingName === MP2T_ENCODING)
  }

  /** Takes the publisher that the session was admitted as. */
  begin(publisher: Publisher): void {
    this.#publisher = publisher
    this.#log = this.#log.child({ session: publisher.id, stream: publisher.streamPath })
    const { ip, port, userAgent } = this.#connection.client
    this.#log.info({ ip, port, userAgent }, 'publish')
    for (const { problem } of this.#medias) {
      if (problem !== undefined) this.#log.warn({ format: problem, advice: CODEC_ADVICE }, LEFT_OUT)
    }
    publisher.onClose((reason) => this.#closed(reason))
  }

  requestKeyframe(trackId: number): void {
    this.#ingest?.requestKeyframe(trackId)
  }

  /** True for the session's path, one below it, or the control address of a media, which may be a camera's own. */
  isOf(streamPath: string, uri: string): boolean {
    if (streamPath === this.#streamPath || streamPath.startsWith(`${this.#streamPath}/`)) return true
    return this.#medias.some(({ description }) => sdpAttribute(description.attributes, 'control')?.value === uri)
  }

  touch(): void {
    this.#seenMs = performance.now()
  }

  /** A publisher that keeps its session alive is paused, not gone, for as long as sessions last without it. */
  keepAlive(): void {
    this.touch()
    if (this.isStarted) this.#publisher?.alive(this.#server.ctx.config.sessiontimeout)
  }

  async setup({ uri }: RtspRequest, index: number | undefined, wanted: readonly Transport[]): Promise<MediaTransport> {
    if (this.isStarted) throw new RtspRefusal(455, 'the session is recording: end it first')
    const place = this.#placeOf(uri, index)
    this.#transports.get(place)?.close()
    this.#transports.delete(place)
    const transport = await this.#open(place, wanted)
    if (this.#isClosed) {
      transport.close()
      throw new RtspRefusal(454, 'the session has ended')
    }
    this.#transports.set(place, transport)
    return transport
  }

  async play(): Promise<StartAnswer> {
    throw new RtspRefusal(455, 'the session is one that records')
  }

  record(): StartAnswer {
    const publisher = this.#publisher
    if (publisher === undefined || this.#transports.size === 0) throw new RtspRefusal(455, 'nothing has been set up')
    if (this.isStarted) {
      publisher.setPaused(false)
      return { headers: [] }
    }
    const received = this.#medias.map(({ format }, index) => this.#receivedMedia(index, format))
    const ingest = new RtspIngest(publisher, received, this.#server.ctx)
    this.#ingest = ingest
    publisher.details(() => {
      const { strayBytes } = this.#connection
      return { transport: this.#isDatagram ? 'udp' : 'tcp', ...ingest.counts, strayBytes }
    })
    this.#settle()
    return { headers: [] }
  }

  async pause(): Promise<void> {
    if (!this.isStarted) throw new RtspRefusal(455, 'the session does not record')
    this.#publisher?.setPaused(true)
  }

  close(reason: CloseReason | string): void {
    if (reason === CLIENT_LEFT && this.#isDatagram) void this.#closeAfterLast()
    else this.#publisher?.close(reason)
  }

  /** Takes the packets that came before the client left: its connection may have been read sooner than its datagrams. */
  async #closeAfterLast(): Promise<void> {
    for (let turns = 0, seenMs = NaN; turns < MAX_LAST_TURNS && seenMs !== this.#seenMs; turns++) {
      seenMs = this.#seenMs
      await turn()
    }
    this.#publisher?.close(CLIENT_LEFT)
  }

  get #isDatagram(): boolean {
    return [...this.#transports.values()].some((transport) => transport.isDatagram)
  }

  #placeOf(uri: string, index: number | undefined): number {
    const named = this.#medias.findIndex(({ description }) => isNamed(uri, description))
    const place = named >= 0 ? named : (index ?? this.#medias.findIndex((_, other) => !this.#transports.has(other)))
    if (this.#medias[place] === undefined) throw new RtspRefusal(404, 'there is no such media in what was announced')
    return place
  }

  async #open(place: number, wanted: readonly Transport[]): Promise<MediaTransport> {
    const handlers = {
      rtp: (packet: Buffer) => this.#take(place, packet),
      rtcp: (packet: Buffer) => this.#takeReport(place, packet),
    }
    for (const spec of wanted) {
      const transport = await this.#connection.openTransport(spec, handlers)
      if (transport !== undefined) return transport
    }
    throw new RtspRefusal(461, 'RTP/AVP over TCP (interleaved) or UDP can be taken')
  }

  #take(place: number, packet: Buffer): void {
    this.#seenMs = performance.now()
    this.#ingest?.rtp(place, packet)
    if (!this.#isComplete) this.#settle()
  }

  #takeReport(place: number, packet: Buffer): void {
    this.#seenMs = performance.now()
    if (this.#ingest?.rtcp(place, packet) === true) this.#publisher?.alive()
  }

  /** Declares the tracks complete as soon as all medias have declared theirs. */
  #settle(): void {
    if (this.#ingest?.isComplete !== true) return
    this.#isComplete = true
    this.#publisher?.tracksComplete()
  }

  #receivedMedia(index: number, format: RtpFormat | undefined): ReceivedMedia | undefined {
    const transport = this.#transports.get(index)
    if (transport === undefined || format === undefined) return undefined
    return { format, isDatagram: transport.isDatagram, sendRtcp: (packet) => transport.sendRtcp(packet) }
  }

  #closed(reason: CloseReason): void {
    this.#isClosed = true
    const counts = this.#ingest?.counts
    this.#ingest?.close()
    for (const transport of this.#transports.values()) transport.close()
    this.#log.info({ reason: reason.text, lostPackets: counts?.lostPackets || undefined }, 'publish ended')
    this.#server.ended(this)
    this.#connection.sessionEnded(this, reason)
  }
}

/** True when a URL ends in the control attribute of a media: in its path or, as some clients put it, after its query. */
function isNamed(uri: string, { attributes }: MediaDescription): boolean {
  const control = sdpAttribute(attributes, 'control')?.value ?? ''
  if (control === '' || control === '*') return false
  const [path = ''] = uri.split('?', 1)
  return uri === control || uri.endsWith(`/${control}`) || path.endsWith(`/${control}`)
}
