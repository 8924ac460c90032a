import type { Track } from 'sluice/sdk'
import {
  KeyframeRequester,
  MissingPackets,
  RtpReceiver,
  sumReceptions,
  unwrapRetransmission,
  type ReportBlock,
  type RtpClock,
  type RtpPacket,
  type RtpReceptionCounts,
  type SenderReport,
} from 'sluice/sdk/media'
import type { NegotiatedFormat, NegotiatedMedia } from '../../sdp/negotiated-media.ts'
import { REPLAY_WINDOW_PACKETS } from '../../srtp/packet-index.ts'
import type { TrackOutlet } from './track-outlet.ts'

/**
 * How long a packet is waited for that can be sent again, how many later ones are kept meanwhile, and how far behind the
 * newest it may come: as far as SRTP lets it through.
 */
const REPAIRED_ORDER = { maxPackets: 2048, maxDelayMs: 500, maxMisorder: REPLAY_WINDOW_PACKETS }
/** Where nothing is sent again, a packet that comes late is only in disorder. */
const PLAIN_ORDER = { maxPackets: 256, maxDelayMs: 60 }
/** How long the first keyframe is waited for, which senders begin with by themselves. */
const FIRST_KEYFRAME_MS = 300
/** The format of a stream changes no more often than this; packets of another one are left out until then. */
const MIN_FORMAT_MS = 1000
/** The source is asked for a keyframe of a track no more often. */
const MIN_KEYFRAME_REQUEST_MS = 500

type InletInit = {
  readonly media: NegotiatedMedia
  /** Which layer of simulcast it is; undefined for a media without. */
  readonly rid: string | undefined
  readonly outlet: TrackOutlet
  readonly clock: RtpClock
  readonly keyframeIntervalMs: number
}

/** Takes the RTP stream of a media, or of one of its layers, and finds out what has to be asked of its sender. */
export class Inlet {
  readonly media: NegotiatedMedia
  readonly rid: string | undefined
  /** The names of the stream and of that of packets which come again, as far as they are known. */
  ssrc: number | undefined
  rtxSsrc: number | undefined
  readonly missing: MissingPackets
  /** Browsers send no keyframe unless they are asked. */
  readonly keyframes: KeyframeRequester
  readonly #outlet: TrackOutlet
  readonly #clock: RtpClock
  #receiver: RtpReceiver | undefined
  #format: NegotiatedFormat | undefined
  #formatMs = 0
  /** Of the receivers before this one. */
  #countsBefore = sumReceptions([])
  #leftOutPackets = 0
  /** Since when pictures come without a track that they could be of. */
  #trackMissingMs: number | undefined

  constructor({ media, rid, outlet, clock, keyframeIntervalMs }: InletInit) {
    this.media = media
    this.rid = rid
    this.#outlet = outlet
    this.#clock = clock
    this.missing = new MissingPackets(REPAIRED_ORDER.maxDelayMs, REPAIRED_ORDER.maxMisorder)
    this.keyframes = new KeyframeRequester({
      sink: outlet,
      minIntervalMs: MIN_KEYFRAME_REQUEST_MS,
      maxAgeMs: keyframeIntervalMs,
    })
  }

  /** The track as the stream has it. */
  get track(): Track | undefined {
    return this.#outlet.track
  }

  /** How its packets are read; undefined before the first one. */
  get format(): NegotiatedFormat | undefined {
    return this.#format
  }

  get counts(): RtpReceptionCounts {
    const counts = sumReceptions([this.#countsBefore, ...(this.#receiver ? [this.#receiver.counts] : [])])
    return { ...counts, brokenPackets: counts.brokenPackets + this.#leftOutPackets }
  }

  /**
   * Takes a packet of the stream.
   * @returns whether packets are found to be missing by it
   */
  receive(packet: RtpPacket, format: NegotiatedFormat, nowMs: number): boolean {
    const receiver = this.#receiverOf(format, packet, nowMs)
    if (receiver === undefined) return false
    receiver.receive(packet, nowMs)
    if (this.media.kind === 'video') this.#needFirstKeyframe(packet, nowMs)
    return format.feedback.has('nack') && this.missing.receive(packet.sequenceNumber, nowMs)
  }

  /** Takes a packet that holds one which is sent again (RFC 4588). */
  recover(packet: RtpPacket, format: NegotiatedFormat, nowMs: number): void {
    // What was asked for is of the format that is read; probes hold packets of any age.
    if (this.ssrc === undefined || format !== this.#format) return
    const original = unwrapRetransmission(packet, format.format.payloadType, this.ssrc)
    if (original === undefined) return
    this.missing.receive(original.sequenceNumber, nowMs)
    this.#receiver?.recover(original, nowMs)
  }

  /** Lets go on without what has not come in time. */
  tick(nowMs: number): void {
    this.#receiver?.tick(nowMs)
  }

  senderReport(report: SenderReport, nowMs: number): void {
    this.#receiver?.report(report, nowMs)
  }

  /** The report on what has come (RFC 3550 6.4.2). */
  report(nowMs: number): ReportBlock | undefined {
    return this.#receiver?.statistics.report(nowMs)
  }

  /** The stream has ended (RFC 3550 6.6), or another takes its place: what waits for packets does so in vain. */
  end(): void {
    this.#receiver?.flush()
    this.missing.reset()
    this.ssrc = undefined
    this.rtxSsrc = undefined
  }

  /** Nothing can be made of pictures whose first one did not come, as it shows their configuration. */
  #needFirstKeyframe({ payload }: RtpPacket, nowMs: number): void {
    if (this.#outlet.track !== undefined) {
      this.#trackMissingMs = undefined
    } else if (payload.length > 0) {
      this.#trackMissingMs ??= nowMs
      if (nowMs - this.#trackMissingMs >= FIRST_KEYFRAME_MS) this.keyframes.need()
    }
  }

  #receiverOf(format: NegotiatedFormat, { payload }: RtpPacket, nowMs: number): RtpReceiver | undefined {
    if (format === this.#format) return this.#receiver
    // What probes the network may be of any format.
    if (this.#receiver !== undefined && (payload.length === 0 || nowMs - this.#formatMs < MIN_FORMAT_MS)) {
      this.#leftOutPackets += 1
      return undefined
    }
    this.#endReceiver()
    const order = format.feedback.has('nack') ? REPAIRED_ORDER : PLAIN_ORDER
    this.#receiver = new RtpReceiver({
      format: format.format,
      sink: this.keyframes,
      clock: this.#clock,
      reorder: order,
    })
    this.#format = format
    this.#formatMs = nowMs
    return this.#receiver
  }

  #endReceiver(): void {
    if (this.#receiver === undefined) return
    this.#receiver.flush()
    const { track } = this.#receiver
    if (track !== undefined) this.#outlet.removeTrack(track)
    this.#countsBefore = sumReceptions([this.#countsBefore, this.#receiver.counts])
    this.missing.reset()
  }
}
