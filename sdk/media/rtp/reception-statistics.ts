import type { RtpHeader } from './packet.ts'
import { shortNtpDelay, shortNtpTime } from './rtcp/ntp-time.ts'
import type { ReportBlock } from './rtcp/report-block.ts'
import type { SenderReport } from './rtcp/sender-report.ts'
import { nextSequenceNumber, RTP_MAX_MISORDER, sequenceOffset } from './sequence-number.ts'

/** Extended numbers begin one wrap late, so that none of them is 0, which stands for none, or below it. */
const FIRST_WRAP = 2 ** 16
const MIN_CUMULATIVE_LOST = -0x800000
const MAX_CUMULATIVE_LOST = 0x7fffff
/** RFC 3550 A.8. */
const JITTER_GAIN = 1 / 16
/** A larger step is one of the source's clock, which would stay in the jitter for long. */
const MAX_JITTER_STEP_SECONDS = 10

/**
 * Statistics of the packets that arrive of one RTP stream, and the reports on it (RFC 3550 6.4.1, A.1, A.3, A.8).
 *
 * Another SSRC, or a jump in the sequence numbers that two packets in a row agree on, begins the reports anew; the counters
 * go on.
 */
export class RtpReceptionStatistics {
  readonly #clockRate: number
  readonly #maxMisorder: number
  /** The latest numbers, by which repeated packets are found; 32 bits of the extended ones. */
  readonly #seen: Uint32Array
  #ssrc: number | undefined
  /** Extended sequence numbers: those of 16 bits with their wraps, from the first packet on. */
  #first = 0
  #highest = 0
  #strayNumber: number | undefined
  /** The packets since the reports began: all, repeated ones included as the RFC has it, and those without repeated ones. */
  #received = 0
  #receivedOnce = 0
  #lostBefore = 0
  #receivedPackets = 0
  #duplicatePackets = 0
  #reorderedPackets = 0
  #expectedAtReport = 0
  #receivedAtReport = 0
  #jitter = 0
  #timestamp: number | undefined
  #arrivalMs = 0
  #senderReport: SenderReport | undefined
  #senderReportMs = 0

  /**
   * @param clockRate ticks a second of the RTP times
   * @param maxMisorder as {@link sequenceOffset} has it
   */
  constructor(clockRate: number, maxMisorder = RTP_MAX_MISORDER) {
    this.#clockRate = clockRate
    this.#maxMisorder = maxMisorder
    // A power of two above it.
    this.#seen = new Uint32Array(2 ** (32 - Math.clz32(maxMisorder)))
  }

  /** All packets that came, repeated ones included. */
  get receivedPackets(): number {
    return this.#receivedPackets
  }

  /** Packets that are missing among those that came; one that comes late is not missing any more. */
  get lostPackets(): number {
    return this.#ssrc === undefined ? 0 : this.#lostBefore + this.#expected - this.#receivedOnce
  }

  /** Packets that came more than once. */
  get duplicatePackets(): number {
    return this.#duplicatePackets
  }

  /** Packets that came after one that they precede. */
  get reorderedPackets(): number {
    return this.#reorderedPackets
  }

  /**
   * Counts a packet, in order of arrival.
   * @param nowMs a clock of any start, the same in all calls
   */
  receive(packet: RtpHeader, nowMs: number): void {
    const { sequenceNumber, ssrc } = packet
    this.#receivedPackets += 1
    if (ssrc !== this.#ssrc) {
      this.#restart(ssrc, sequenceNumber)
    } else {
      const offset = sequenceOffset(sequenceNumber, nextSequenceNumber(this.#highest & 0xffff), this.#maxMisorder)
      if (offset === undefined) this.#countStray(sequenceNumber)
      else this.#count(this.#highest + 1 + offset)
    }
    this.#measureJitter(packet.timestamp, nowMs)
  }

  /** Takes a report of the sender, which the next reports then refer to. */
  receiveSenderReport(report: SenderReport, nowMs: number): void {
    this.#senderReport = report
    this.#senderReportMs = nowMs
  }

  /** Makes a report on what came, the lost fraction since the report before; undefined before the first packet. */
  report(nowMs: number): ReportBlock | undefined {
    if (this.#ssrc === undefined) return undefined
    const expected = this.#expected - this.#expectedAtReport
    const lost = expected - (this.#received - this.#receivedAtReport)
    this.#expectedAtReport = this.#expected
    this.#receivedAtReport = this.#received
    const cumulativeLost = this.#expected - this.#received
    const senderReport = this.#senderReport?.ssrc === this.#ssrc ? this.#senderReport : undefined
    const ntpMs = senderReport?.ntpMs
    return {
      ssrc: this.#ssrc,
      fractionLost: lost <= 0 ? 0 : Math.floor((lost * 256) / expected),
      cumulativeLost: Math.min(Math.max(cumulativeLost, MIN_CUMULATIVE_LOST), MAX_CUMULATIVE_LOST),
      highestSequenceNumber: (this.#highest - FIRST_WRAP) >>> 0,
      jitter: Math.floor(this.#jitter) >>> 0,
      lastSenderReport: ntpMs === undefined ? 0 : shortNtpTime(ntpMs),
      delaySinceLastSenderReport: ntpMs === undefined ? 0 : shortNtpDelay(nowMs - this.#senderReportMs),
    }
  }

  get #expected(): number {
    return this.#highest - this.#first + 1
  }

  #restart(ssrc: number, sequenceNumber: number): void {
    this.#lostBefore = this.lostPackets
    this.#ssrc = ssrc
    this.#first = FIRST_WRAP + sequenceNumber
    this.#highest = this.#first
    this.#strayNumber = undefined
    this.#received = 0
    this.#receivedOnce = 0
    this.#expectedAtReport = 0
    this.#receivedAtReport = 0
    this.#jitter = 0
    this.#timestamp = undefined
    this.#seen.fill(0)
    this.#count(this.#first)
  }

  #count(extended: number): void {
    this.#received += 1
    const slot = extended & (this.#seen.length - 1)
    if (this.#seen[slot] === extended >>> 0) {
      this.#duplicatePackets += 1
      return
    }
    this.#seen[slot] = extended
    this.#receivedOnce += 1
    if (extended < this.#highest) this.#reorderedPackets += 1
    this.#highest = Math.max(this.#highest, extended)
    this.#first = Math.min(this.#first, extended)
  }

  /** Counts the packet before as well when the source begins anew by these two. */
  #countStray(sequenceNumber: number): void {
    const stray = this.#strayNumber
    if (stray === undefined || sequenceNumber !== nextSequenceNumber(stray)) {
      this.#strayNumber = sequenceNumber
      return
    }
    this.#restart(this.#ssrc!, stray)
    this.#count(this.#highest + 1)
  }

  #measureJitter(timestamp: number, nowMs: number): void {
    if (this.#timestamp !== undefined) {
      const arrivalTicks = ((nowMs - this.#arrivalMs) * this.#clockRate) / 1000
      const step = Math.abs(arrivalTicks - ((timestamp - this.#timestamp) | 0))
      if (step < MAX_JITTER_STEP_SECONDS * this.#clockRate) this.#jitter += (step - this.#jitter) * JITTER_GAIN
    }
    this.#timestamp = timestamp
    this.#arrivalMs = nowMs
  }
}
