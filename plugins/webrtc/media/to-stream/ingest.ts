import { randomBytes as secureRandomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { UnitSink } from 'sluice/sdk'
import {
  MalformedError,
  parseRtcp,
  parseRtpExtensionElements,
  parseRtpPacket,
  rembFeedback,
  RtpClock,
  RtpFeedback,
  StallClock,
  sumReceptions,
  tryParse,
  type ReportBlock,
  type RtcpPacket,
  type RtpExtensionElement,
  type RtpPacket,
  type RtpReceptionCounts,
} from 'sluice/sdk/media'
import type { NegotiatedMedia, RtcpFeedback } from '../../sdp/negotiated-media.ts'
import { ArrivalFeedback } from './arrival-feedback.ts'
import { BitrateEstimate } from './bitrate-estimate.ts'
import { IncomingSources } from './incoming-sources.ts'
import { createInlets } from './inlets.ts'
import type { Inlet } from './inlet.ts'
import type { Simulcast } from './simulcast.ts'

/** The time between looks for work that is due: packets to release, requests and reports. */
const TICK_MS = 20
/** The time between receiver reports. */
const REPORT_INTERVAL_MS = 1000
/** The largest packet: no sender makes larger ones. It bounds the memory of those that wait. */
const MAX_PACKET_SIZE_BYTES = 2048
const CNAME = 'sluice'
const NO_ELEMENTS: readonly RtpExtensionElement[] = []

/** The options of {@link Ingest}. */
export type IngestInit = {
  /** Takes tracks and units, as a publisher does. */
  readonly sink: UnitSink
  /** The medias that both sides have agreed on; those that are sent are ignored. */
  readonly medias: readonly NegotiatedMedia[]
  /** Sends an RTCP packet to the source. */
  readonly sendRtcp: (packet: Buffer) => void
  readonly timers: { readonly setInterval: (run: () => void, intervalMs: number) => () => void }
  /** The age of a source's last keyframe after which one is requested, in milliseconds; 0 for never. */
  readonly pliIntervalMs: number
  readonly randomBytes?: (sizeBytes: number) => Buffer
  /** A monotonic clock in milliseconds, that of every `nowMs`; default `performance.now`. */
  readonly now?: () => number
}

/** The counters of a source's packets. */
export type IngestCounts = RtpReceptionCounts & {
  /** Packets that came after they were requested again. */
  readonly recoveredPackets: number
  /** Packets that belong to no media, as far as is known. */
  readonly unknownPackets: number
  /** The number of packets that were requested again, and of keyframes. */
  readonly requestedPackets: number
  readonly requestedKeyframes: number
}

/**
 * Turns the RTP of a WebRTC source into tracks and units, and sends RTCP to the source: reports, requests for missing packets and
 * keyframes, and estimates of its bandwidth.
 */
export class Ingest {
  readonly #ssrc: number
  readonly #feedback: RtpFeedback
  readonly #inlets: readonly Inlet[]
  readonly #simulcasts: readonly Simulcast[]
  readonly #sources: IncomingSources
  readonly #arrivals: ArrivalFeedback
  readonly #estimate: BitrateEstimate | undefined
  readonly #stop: () => void
  readonly #clock: StallClock
  #reportedMs: number
  /** The time of the clock. */
  #nowMs: number
  #brokenPackets = 0
  #unknownPackets = 0

  constructor(init: IngestInit) {
    const { now = () => performance.now(), randomBytes = secureRandomBytes, timers } = init
    this.#nowMs = now()
    this.#reportedMs = this.#nowMs
    this.#clock = new StallClock(this.#nowMs, 2 * TICK_MS)
    this.#ssrc = randomBytes(4).readUInt32BE(0)
    this.#feedback = new RtpFeedback({ ssrc: this.#ssrc, cname: CNAME, reducedSize: true, send: init.sendRtcp })
    const { inlets, simulcasts } = createInlets(init, new RtpClock(), () => this.#nowMs)
    this.#inlets = inlets
    this.#simulcasts = simulcasts
    this.#sources = new IncomingSources(inlets)
    this.#arrivals = new ArrivalFeedback(this.#ssrc)
    this.#estimate = isEstimateNeeded(init.medias) ? new BitrateEstimate() : undefined
    this.#stop = timers.setInterval(() => this.#tick(now()), TICK_MS)
  }

  /** True when each media has its track, or all the layers of its simulcast that can be expected. */
  get isComplete(): boolean {
    const hasTracks = this.#inlets.every(({ media, track }) => track !== undefined || media.rids.length > 0)
    return hasTracks && this.#simulcasts.every((simulcast) => simulcast.isComplete(this.#nowMs))
  }

  get counts(): IngestCounts {
    const counts = sumReceptions(this.#inlets.map((inlet) => inlet.counts))
    const { requestedKeyframes, requestedPackets } = this.#feedback
    return {
      ...counts,
      brokenPackets: counts.brokenPackets + this.#brokenPackets,
      recoveredPackets: this.#inlets.reduce((sum, { missing }) => sum + missing.recoveredPackets, 0),
      unknownPackets: this.#unknownPackets,
      requestedPackets,
      requestedKeyframes,
    }
  }

  /** Takes an RTP packet and keeps its bytes. `nowMs` is by the clock of {@link IngestInit.now}. */
  rtp(bytes: Buffer, nowMs: number): void {
    this.#nowMs = this.#clock.at(nowMs)
    try {
      if (bytes.length > MAX_PACKET_SIZE_BYTES) throw new MalformedError(`RTP packet of ${bytes.length} bytes`)
      this.#take(parseRtpPacket(bytes), nowMs)
      this.#estimate?.add(bytes.length)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#brokenPackets += 1
    }
    this.#sendArrivals(nowMs)
  }

  /** Takes a compound RTCP packet. A malformed one is ignored: reports come again. */
  rtcp(bytes: Buffer, nowMs: number): void {
    this.#nowMs = this.#clock.at(nowMs)
    const messages = tryParse(parseRtcp, bytes)
    if (messages === undefined) this.#brokenPackets += 1
    for (const message of messages ?? []) {
      if (message.kind === 'senderReport') this.#sources.inletOf(message.ssrc)?.senderReport(message, nowMs)
      else if (message.kind === 'bye') for (const ssrc of message.ssrcs) this.#sources.end(ssrc)
    }
  }

  /** Requests a keyframe of a track from the source, as soon as it may be requested again. */
  requestKeyframe(trackId: number): void {
    const inlet = this.#inlets.find(({ track }) => track?.id === trackId)
    if (inlet === undefined) return
    inlet.keyframes.need()
    this.#askForKeyframe(inlet)
  }

  /** Stops. Idempotent. */
  close(): void {
    this.#stop()
  }

  #take(packet: RtpPacket, nowMs: number): void {
    const elements = packet.extension === undefined ? NO_ELEMENTS : parseRtpExtensionElements(packet.extension)
    const sequence = this.#sources.extension(elements, 'transportSequence')
    if (sequence?.length === 2) this.#arrivals.add(sequence.readUInt16BE(0), packet.ssrc, nowMs)
    const route = this.#sources.route(packet, elements)
    if (route === undefined) {
      this.#unknownPackets += 1
      return
    }
    const { inlet, format, isRepair } = route
    if (isRepair) inlet.recover(packet, format, this.#nowMs)
    else if (inlet.receive(packet, format, this.#nowMs)) this.#askForPackets(inlet)
    this.#askForKeyframe(inlet)
  }

  #tick(nowMs: number): void {
    this.#nowMs = this.#clock.tick(nowMs)
    for (const inlet of this.#inlets) {
      inlet.tick(this.#nowMs)
      this.#askForPackets(inlet)
      this.#askForKeyframe(inlet)
    }
    for (const simulcast of this.#simulcasts) simulcast.tick(this.#nowMs)
    this.#sendArrivals(nowMs)
    if (nowMs - this.#reportedMs >= REPORT_INTERVAL_MS) this.#report(nowMs)
  }

  #askForPackets({ missing, ssrc, format }: Inlet): void {
    if (missing.size === 0 || ssrc === undefined || format === undefined) return
    this.#feedback.askForPackets(ssrc, missing, this.#nowMs)
  }

  #askForKeyframe({ ssrc, format, keyframes, media }: Inlet): void {
    if (ssrc === undefined || format === undefined || media.kind !== 'video') return
    const isPli = format.feedback.has('nack pli')
    if (isPli || format.feedback.has('ccm fir')) {
      this.#feedback.askForKeyframe(ssrc, keyframes, this.#nowMs, isPli ? 'pli' : 'fir')
    }
  }

  #sendArrivals(nowMs: number): void {
    const feedback = this.#arrivals.take(nowMs)
    if (feedback !== undefined) this.#feedback.tell(feedback)
  }

  #report(nowMs: number): void {
    this.#reportedMs = nowMs
    const reports = this.#inlets.map((inlet) => inlet.report(nowMs)).filter((report) => report !== undefined)
    if (reports.length === 0) return
    this.#feedback.report(reports, ...this.#estimates(reports, nowMs))
  }

  /** The bandwidth estimate, for a source that asks for it. */
  #estimates(reports: readonly ReportBlock[], nowMs: number): RtcpPacket[] {
    if (this.#estimate === undefined) return []
    const fractionLost = Math.max(...reports.map((report) => report.fractionLost)) / 256
    const bitrateBps = this.#estimate.next(fractionLost, nowMs)
    return [rembFeedback(this.#ssrc, { bitrateBps, ssrcs: reports.map(({ ssrc }) => ssrc) })]
  }
}

/** True when the source asks for estimates of its bandwidth, and does not make them itself by transport-cc. */
function isEstimateNeeded(medias: readonly NegotiatedMedia[]): boolean {
  const has = (name: RtcpFeedback) =>
    medias.some(
      ({ direction, formats }) => direction === 'receive' && formats.some(({ feedback }) => feedback.has(name)),
    )
  return has('goog-remb') && !has('transport-cc')
}
