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
import type { TrackSink } from './track-sink.ts'

/**
 * The limits of reordering with repeats: the time to wait for a packet, the number of later ones kept meanwhile, and the distance from the
 * newest at which a packet may come: that of SRTP's window.
 */
const REPAIRED_ORDER = { maxPackets: 2048, maxDelayMs: 500, maxMisorder: REPLAY_WINDOW_PACKETS }
/** The limits of reordering without repeats, where a late packet is only out of order. */
const PLAIN_ORDER = { maxPackets: 256, maxDelayMs: 60 }
/** The time to wait for the first keyframe, with which senders begin by themselves. */
const FIRST_KEYFRAME_MS = 300
/** The shortest time between changes of a stream's format; packets of another format are dropped until then. */
const MIN_FORMAT_MS = 1000
/** The shortest time between requests for a keyframe of a track. */
const MIN_KEYFRAME_REQUEST_MS = 500

type InletInit = {
  readonly media: NegotiatedMedia
  /** The identifier of its simulcast layer; undefined for a media without simulcast. */
  readonly rid: string | undefined
  readonly sink: TrackSink
  readonly clock: RtpClock
  readonly keyframeIntervalMs: number
}

/** Receives the RTP stream of a media, or of one of its layers, and decides which packets and keyframes to request. */
export class Inlet {
  readonly media: NegotiatedMedia
  readonly rid: string | undefined
  /** The SSRCs of the stream and of its repeats; undefined until they are known. */
  ssrc: number | undefined
  rtxSsrc: number | undefined
  readonly missing: MissingPackets
  /** Requests keyframes: browsers send none unless they are asked. */
  readonly keyframes: KeyframeRequester
  readonly #sink: TrackSink
  readonly #clock: RtpClock
  #receiver: RtpReceiver | undefined
  #format: NegotiatedFormat | undefined
  #formatMs = 0
  /** The sum of the counts of former receivers. */
  #countsBefore = sumReceptions([])
  #leftOutPackets = 0
  /** The time since which pictures have come without a track. */
  #trackMissingMs: number | undefined

  constructor({ media, rid, sink, clock, keyframeIntervalMs }: InletInit) {
    this.media = media
    this.rid = rid
    this.#sink = sink
    this.#clock = clock
    this.missing = new MissingPackets(REPAIRED_ORDER.maxDelayMs, REPAIRED_ORDER.maxMisorder)
    this.keyframes = new KeyframeRequester({
      sink,
      minIntervalMs: MIN_KEYFRAME_REQUEST_MS,
      maxAgeMs: keyframeIntervalMs,
    })
  }

  /** The track in the stream; undefined before there is one. */
  get track(): Track | undefined {
    return this.#sink.track
  }

  /** The format of its packets; undefined before the first one. */
  get format(): NegotiatedFormat | undefined {
    return this.#format
  }

  get counts(): RtpReceptionCounts {
    const counts = sumReceptions([this.#countsBefore, ...(this.#receiver ? [this.#receiver.counts] : [])])
    return { ...counts, brokenPackets: counts.brokenPackets + this.#leftOutPackets }
  }

  /**
   * Takes a packet of the stream.
   * @returns true when the packet shows that others are missing
   */
  receive(packet: RtpPacket, format: NegotiatedFormat, nowMs: number): boolean {
    const receiver = this.#receiverOf(format, packet, nowMs)
    if (receiver === undefined) return false
    receiver.receive(packet, nowMs)
    if (this.media.kind === 'video') this.#needFirstKeyframe(packet, nowMs)
    return format.feedback.has('nack') && this.missing.receive(packet.sequenceNumber, nowMs)
  }

  /** Takes a packet that contains another one which is sent again (RFC 4588). */
  recover(packet: RtpPacket, format: NegotiatedFormat, nowMs: number): void {
    // Repeats have the format that is received; probes contain packets of any age.
    if (this.ssrc === undefined || format !== this.#format) return
    const original = unwrapRetransmission(packet, format.format.payloadType, this.ssrc)
    if (original === undefined) return
    this.missing.receive(original.sequenceNumber, nowMs)
    this.#receiver?.recover(original, nowMs)
  }

  /** Releases packets that wait for others which have not come in time. */
  tick(nowMs: number): void {
    this.#receiver?.tick(nowMs)
  }

  senderReport(report: SenderReport, nowMs: number): void {
    this.#receiver?.report(report, nowMs)
  }

  /** The receiver report of the stream (RFC 3550 6.4.2). */
  report(nowMs: number): ReportBlock | undefined {
    return this.#receiver?.statistics.report(nowMs)
  }

  /** The stream has ended (RFC 3550 6.6), or another replaces it: missing packets will not come. */
  end(): void {
    this.#receiver?.flush()
    this.missing.reset()
    this.ssrc = undefined
    this.rtxSsrc = undefined
  }

  /** Requests a keyframe when the first one, which contains the configuration, did not come. */
  #needFirstKeyframe({ payload }: RtpPacket, nowMs: number): void {
    if (this.#sink.track !== undefined) {
      this.#trackMissingMs = undefined
    } else if (payload.length > 0) {
      this.#trackMissingMs ??= nowMs
      if (nowMs - this.#trackMissingMs >= FIRST_KEYFRAME_MS) this.keyframes.need()
    }
  }

  #receiverOf(format: NegotiatedFormat, { payload }: RtpPacket, nowMs: number): RtpReceiver | undefined {
    if (format === this.#format) return this.#receiver
    // Probes of the network may have any format.
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
    if (track !== undefined) this.#sink.removeTrack(track)
    this.#countsBefore = sumReceptions([this.#countsBefore, this.#receiver.counts])
    this.missing.reset()
  }
}
