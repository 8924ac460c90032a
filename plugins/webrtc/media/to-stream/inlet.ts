import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk'
import {
  RtpReceiver,
  unwrapRetransmission,
  type ReportBlock,
  type RtpClock,
  type RtpPacket,
  type SenderReport,
} from 'sluice/sdk/media'
import type { NegotiatedFormat, NegotiatedMedia } from '../../sdp/negotiated-media.ts'
import { KeyframeNeed } from './keyframe-need.ts'
import { MAX_MISORDER, MissingPackets } from './missing-packets.ts'
import type { TrackOutlet } from './track-outlet.ts'

/** How long a packet is waited for that can be sent again, and how many later ones are kept meanwhile. */
const REPAIRED_ORDER = { maxPackets: 2048, maxDelayMs: 500, maxMisorder: MAX_MISORDER }
/** Where nothing is sent again, a packet that comes late is only in disorder. */
const PLAIN_ORDER = { maxPackets: 256, maxDelayMs: 60 }
/** How long the first keyframe is waited for, which senders begin with by themselves. */
const FIRST_KEYFRAME_MS = 300
/** The format of a stream changes no more often than this; packets of another one are left out until then. */
const MIN_FORMAT_MS = 1000

/** What became of a stream's packets. */
export type InletCounts = {
  readonly receivedPackets: number
  readonly lostPackets: number
  readonly recoveredPackets: number
  readonly reorderedPackets: number
  readonly duplicatePackets: number
  readonly brokenPackets: number
}

type InletInit = {
  readonly media: NegotiatedMedia
  /** Which layer of simulcast it is; undefined for a media without. */
  readonly rid: string | undefined
  readonly outlet: TrackOutlet
  readonly clock: RtpClock
  readonly keyframeIntervalMs: number
}

/** Takes the RTP stream of a media, or of one of its layers, and finds out what has to be asked of its sender. */
export class Inlet implements UnitSink {
  readonly media: NegotiatedMedia
  readonly rid: string | undefined
  /** The names of the stream and of that of packets which come again, as far as they are known. */
  ssrc: number | undefined
  rtxSsrc: number | undefined
  readonly missing: MissingPackets
  readonly keyframes: KeyframeNeed
  readonly #outlet: TrackOutlet
  readonly #clock: RtpClock
  #receiver: RtpReceiver | undefined
  #format: NegotiatedFormat | undefined
  #formatMs = 0
  /** Of the receivers before this one. */
  #countsBefore: InletCounts = NO_COUNTS
  #leftOutPackets = 0
  /** Since when pictures come without a track that they could be of. */
  #trackMissingMs: number | undefined
  #nowMs = 0

  constructor({ media, rid, outlet, clock, keyframeIntervalMs }: InletInit) {
    this.media = media
    this.rid = rid
    this.#outlet = outlet
    this.#clock = clock
    this.missing = new MissingPackets(REPAIRED_ORDER.maxDelayMs)
    this.keyframes = new KeyframeNeed(keyframeIntervalMs)
  }

  /** The track as the stream has it. */
  get track(): Track | undefined {
    return this.#outlet.track
  }

  /** How its packets are read; undefined before the first one. */
  get format(): NegotiatedFormat | undefined {
    return this.#format
  }

  get counts(): InletCounts {
    const { recoveredPackets } = this.missing
    const leftOut = {
      ...this.#countsBefore,
      recoveredPackets,
      brokenPackets: this.#countsBefore.brokenPackets + this.#leftOutPackets,
    }
    return this.#receiver === undefined ? leftOut : sumOf(leftOut, countsOf(this.#receiver))
  }

  /**
   * Takes a packet of the stream.
   * @returns whether packets are found to be missing by it
   */
  receive(packet: RtpPacket, format: NegotiatedFormat, nowMs: number): boolean {
    const receiver = this.#receiverOf(format, packet, nowMs)
    if (receiver === undefined) return false
    this.#nowMs = nowMs
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
    this.#nowMs = nowMs
    this.missing.receive(original.sequenceNumber, nowMs)
    this.#receiver?.recover(original, nowMs)
  }

  /** Lets go on without what has not come in time. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs
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

  addTrack(init: TrackInit): Track {
    return this.#outlet.addTrack(init)
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    return this.#outlet.configureTrack(track, config)
  }

  removeTrack(track: Track): void {
    this.#outlet.removeTrack(track)
  }

  write(unit: AccessUnit): void {
    if (unit.keyframe) this.keyframes.keyframe(this.#nowMs)
    this.#outlet.write(unit)
  }

  lost(track: Track, count: number): void {
    if (track.kind === 'video') this.keyframes.need()
    this.#outlet.lost(track, count)
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
    this.#receiver = new RtpReceiver({ format: format.format, sink: this, clock: this.#clock, reorder: order })
    this.#format = format
    this.#formatMs = nowMs
    return this.#receiver
  }

  #endReceiver(): void {
    if (this.#receiver === undefined) return
    this.#receiver.flush()
    const { track } = this.#receiver
    if (track !== undefined) this.#outlet.removeTrack(track)
    this.#countsBefore = sumOf(this.#countsBefore, countsOf(this.#receiver))
    this.missing.reset()
  }
}

/** Nothing has come. */
export const NO_COUNTS: InletCounts = {
  receivedPackets: 0,
  lostPackets: 0,
  recoveredPackets: 0,
  reorderedPackets: 0,
  duplicatePackets: 0,
  brokenPackets: 0,
}

function countsOf({ statistics, brokenPackets }: RtpReceiver): InletCounts {
  const { receivedPackets, lostPackets, reorderedPackets, duplicatePackets } = statistics
  return { receivedPackets, lostPackets, recoveredPackets: 0, reorderedPackets, duplicatePackets, brokenPackets }
}

/** Adds up what became of the packets of two streams. */
export function sumOf(one: InletCounts, other: InletCounts): InletCounts {
  return {
    receivedPackets: one.receivedPackets + other.receivedPackets,
    lostPackets: one.lostPackets + other.lostPackets,
    recoveredPackets: one.recoveredPackets + other.recoveredPackets,
    reorderedPackets: one.reorderedPackets + other.reorderedPackets,
    duplicatePackets: one.duplicatePackets + other.duplicatePackets,
    brokenPackets: one.brokenPackets + other.brokenPackets,
  }
}
