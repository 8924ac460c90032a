import { randomBytes } from 'node:crypto'
import type { Publisher } from 'sluice/sdk'
import { MP2T_ENCODING, parseRtcp, serializeRtcp, tryParse } from 'sluice/sdk/media'
import { RtspIngest } from '../media/to-stream.ts'
import type { Timers } from '../plugin-context.ts'
import type { MediaTransport } from '../transport/media-transport.ts'
import type { RtspResponse } from '../wire/message/message.ts'
import { askWhileSilent } from './ask-while-silent.ts'
import type { ClientSession } from './client-session.ts'
import type { RequestOptions } from './rtsp-client.ts'
import type { TransportKind } from './target-url.ts'
import type { SourceOffer } from './source-offer.ts'

/** The most packets that wait for the stream to be published. */
const MAX_WAITING_PACKETS = 4096

/** A packet that waits, with the index of its media. */
type WaitingPacket = { readonly index: number; readonly packet: Buffer; readonly isRtcp: boolean }

/** A source that is being played: its packets wait for a publisher, and then go there. */
export class SourceSession {
  readonly offer: SourceOffer
  readonly #session: ClientSession
  readonly #transports: MediaTransport[] = []
  readonly #arrived = Promise.withResolvers<void>()
  readonly #ended = Promise.withResolvers<'bye'>()
  readonly #gone = new Set<number>()
  #waiting: WaitingPacket[] = []
  #ingest: RtspIngest | undefined
  #publisher: Publisher | undefined
  #alive: (() => void) | undefined
  #stopAsking: (() => void) | undefined

  constructor(offer: SourceOffer, session: ClientSession) {
    this.offer = offer
    this.#session = session
  }

  /** Resolves when the first packet of media has come. */
  get arrived(): Promise<void> {
    return this.#arrived.promise
  }

  /** Resolves when the source has sent RTCP BYE for all its medias. */
  get ended(): Promise<'bye'> {
    return this.#ended.promise
  }

  get kind(): TransportKind {
    return this.#session.kind
  }

  /** True when all medias are MPEG-2 TS, which has 33-bit timestamps. */
  get isTransportStream(): boolean {
    return this.offer.medias.every(({ format }) => format.encodingName === MP2T_ENCODING)
  }

  get ingest(): RtspIngest | undefined {
    return this.#ingest
  }

  /** @throws {RtspClientError} when the server refuses */
  async begin(): Promise<void> {
    for (const [index, { url }] of this.offer.medias.entries()) {
      const transport = await this.#session.setup(url, {
        rtp: (packet) => this.#rtp(index, packet),
        rtcp: (packet) => this.#rtcp(index, packet),
      })
      this.#transports.push(transport)
    }
    await this.#session.request('PLAY', { Range: 'npt=0.000-' })
    // The report opens the ports of routers that let in only answers.
    const report = serializeRtcp([{ kind: 'receiverReport', ssrc: randomBytes(4).readUInt32BE(), reports: [] }])
    for (const transport of this.#transports) if (transport.isDatagram) transport.sendRtcp(report)
  }

  /** Sends a request for the whole presentation. @throws {RtspClientError} */
  request(
    method: string,
    fields: Readonly<Record<string, string>> = {},
    options: RequestOptions = {},
  ): Promise<RtspResponse> {
    return this.#session.request(method, fields, options)
  }

  /** Passes the packets that have come, and all later ones, to a publisher. */
  deliver(publisher: Publisher, timers: Pick<Timers, 'setInterval'>): RtspIngest {
    const medias = this.offer.medias.map(({ format }, index) => {
      const transport = this.#transports[index]!
      return { format, isDatagram: transport.isDatagram, sendRtcp: (packet: Buffer) => transport.sendRtcp(packet) }
    })
    const ingest = new RtspIngest(publisher, medias, timers)
    this.#ingest = ingest
    this.#publisher = publisher
    // A recording does not pause by itself: it is over when packets stop coming.
    if (this.offer.durationMs === undefined) this.#expectSigns(publisher, timers)
    for (const { index, packet, isRtcp } of this.#waiting) {
      if (isRtcp) ingest.rtcp(index, packet)
      else ingest.rtp(index, packet)
    }
    this.#waiting = []
    this.#settle()
    return ingest
  }

  close(): void {
    this.#stopAsking?.()
    this.#ingest?.close()
    this.#session.close()
  }

  /** Takes reports, and the answers to keepalives while no media comes, as signs of life of a live source. */
  #expectSigns(publisher: Publisher, timers: Pick<Timers, 'setInterval'>): void {
    this.#alive = () => publisher.alive()
    this.#stopAsking = askWhileSilent({ publisher, ask: () => this.#session.ask(), timers })
  }

  #rtp(index: number, packet: Buffer): void {
    if (this.#ingest === undefined) {
      this.#wait({ index, packet, isRtcp: false })
      this.#arrived.resolve()
    } else {
      this.#ingest.rtp(index, packet)
      this.#settle()
    }
  }

  /** Declares the tracks complete as soon as all medias have declared theirs. */
  #settle(): void {
    if (this.#ingest?.isComplete !== true) return
    this.#publisher?.tracksComplete()
    this.#publisher = undefined
  }

  #rtcp(index: number, packet: Buffer): void {
    if (saysGoodbye(packet)) this.#gone.add(index)
    if (this.#gone.size === this.offer.medias.length) this.#ended.resolve('bye')
    if (this.#ingest === undefined) this.#wait({ index, packet, isRtcp: true })
    else if (this.#ingest.rtcp(index, packet)) this.#alive?.()
  }

  #wait(packet: WaitingPacket): void {
    if (this.#waiting.length < MAX_WAITING_PACKETS) this.#waiting.push(packet)
  }
}

/** True when the packet contains an RTCP BYE (RFC 3550 6.6). */
function saysGoodbye(packet: Buffer): boolean {
  return tryParse(parseRtcp, packet)?.some(({ kind }) => kind === 'bye') ?? false
}
