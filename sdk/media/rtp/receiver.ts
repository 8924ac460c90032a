import { MalformedError } from '../errors.ts'
import type { Track } from '../track.ts'
import type { UnitSink } from '../unit-sink.ts'
import type { RtpFormat } from './format.ts'
import { RtpFrameReader } from './frame-reader.ts'
import { TsPayloadReader } from './mp2t/payload-reader.ts'
import { parseRtpPacket, type RtpPacket } from './packet.ts'
import { createRtpDepacketizer, MP2T_ENCODING } from './payload-formats.ts'
import type { RtpPayloadReader } from './payload-reader.ts'
import { RtpReceptionStatistics } from './reception-statistics.ts'
import { RtpReorderBuffer, type RtpReorderLimits } from './reorder-buffer.ts'
import type { SenderReport } from './rtcp/sender-report.ts'
import type { RtpClock } from './rtp-clock.ts'
import type { RtpReceptionCounts } from './session/reception-counts.ts'

/**
 * The stream to receive, and the destination of its media: `format` chooses the reader of payloads, or `reader` is another
 * one, for payloads of unknown formats.
 */
export type RtpReceiverInit = {
  readonly format: RtpFormat
  /** The limits within which packets are put in order. */
  readonly reorder: RtpReorderLimits
} & (RtpFormatReading | { readonly reader: RtpPayloadReader })

/** The destination of payloads that are read by the format. */
export type RtpFormatReading = {
  /** Takes the track, and its units. */
  readonly sink: UnitSink
  /** The clock of the source, one for all its tracks. */
  readonly clock: RtpClock
}

/**
 * Turns the packets of one RTP stream into a track and its units: in order, with times on the source's common clock and
 * decoding times. Loss is reported to the sink by `lost`; broken packets are left out and counted.
 *
 * MPEG-2 TS (`MP2T`) makes several tracks, with the times that it has itself: counters of 33 bits.
 */
export class RtpReceiver {
  readonly statistics: RtpReceptionStatistics
  readonly #payloadType: number
  readonly #reader: RtpPayloadReader
  readonly #reorder: RtpReorderBuffer
  /** The source's name, as its packets have it. */
  #ssrc: number | undefined
  #nowMs = 0
  #brokenPackets = 0

  /** @throws {MalformedError} when there is no `reader` and the format is not supported; see `rtpFormatProblem` */
  constructor(init: RtpReceiverInit) {
    const { format, reorder } = init
    const { clockRate, payloadType } = format
    this.#payloadType = payloadType
    this.#reader = 'reader' in init ? init.reader : createReader(format, init)
    this.statistics = new RtpReceptionStatistics(clockRate, reorder.maxMisorder)
    this.#reorder = new RtpReorderBuffer(reorder, (packet, follows) => this.#take(packet, follows))
  }

  /** The track, once its configuration is known; undefined for MPEG-2 TS. */
  get track(): Track | undefined {
    return this.#reader.track
  }

  get ssrc(): number | undefined {
    return this.#ssrc
  }

  /** The counts of the packets so far. */
  get counts(): RtpReceptionCounts {
    const { receivedPackets, lostPackets, reorderedPackets, duplicatePackets } = this.statistics
    const brokenPackets = this.#brokenPackets
    return { receivedPackets, lostPackets, reorderedPackets, duplicatePackets, brokenPackets }
  }

  /** Takes a packet and keeps its bytes. `nowMs` is a monotonic clock. */
  push(bytes: Buffer, nowMs: number): void {
    const packet = this.#parse(bytes)
    if (packet !== undefined) this.receive(packet, nowMs)
  }

  /** Takes a packet of the format's payload type that has been parsed already. */
  receive(packet: RtpPacket, nowMs: number): void {
    this.statistics.receive(packet, nowMs)
    this.recover(packet, nowMs)
  }

  /** Takes a packet that came another way, for example again (RFC 4588): reports on the stream don't speak of it. */
  recover(packet: RtpPacket, nowMs: number): void {
    this.#nowMs = nowMs
    this.#reorder.push(packet, nowMs)
  }

  /** Gives out what waits for others, at the end of the stream. */
  flush(): void {
    this.#reorder.flush()
  }

  /** Lets go on without packets that have not come in time. Called now and then, where packets are put in order. */
  tick(nowMs: number): void {
    this.#nowMs = nowMs
    this.#reorder.tick(nowMs)
  }

  /** Takes a sender report, which has the wall clock's time at a time of the packets. */
  report(report: SenderReport, nowMs: number): void {
    this.statistics.receiveSenderReport(report, nowMs)
    this.#reader.report(report)
  }

  #parse(bytes: Buffer): RtpPacket | undefined {
    try {
      const packet = parseRtpPacket(bytes)
      if (packet.payloadType === this.#payloadType) return packet
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
    }
    this.#brokenPackets += 1
    return undefined
  }

  #take(packet: RtpPacket, follows: boolean): void {
    const isFirst = this.#ssrc === undefined
    this.#ssrc = packet.ssrc
    if (!follows && !isFirst) this.#reader.lost()
    try {
      this.#reader.take(packet, follows, this.#nowMs)
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      this.#brokenPackets += 1
      this.#reader.lost()
    }
  }
}

function createReader(format: RtpFormat, { sink, clock }: RtpFormatReading): RtpPayloadReader {
  if (format.encodingName === MP2T_ENCODING) return new TsPayloadReader(sink)
  const depacketizer = createRtpDepacketizer(format)
  return new RtpFrameReader({ depacketizer, clockRate: format.clockRate, clock, sink })
}
