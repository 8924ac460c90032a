import type { SendingKeys } from '../crypto/sending-keys.ts'
import type { Acknowledgement } from '../packet/acknowledgement.ts'
import type { LossRange } from '../packet/loss-list.ts'
import { addToSequence, sequenceDistance } from '../sequence.ts'
import type { SendControl } from './control-body.ts'
import { LossTimer } from './loss-timer.ts'
import { Pacer } from './pacer.ts'
import { PacketRun, type PacketRunInit } from './packet-run.ts'
import { RepeatBudget } from './repeat-budget.ts'
import { RoundTrip } from './round-trip.ts'
import { SendBuffer } from './send-buffer.ts'

/** Seven packets of MPEG-TS, the payload that live senders put into one packet of SRT (draft-sharabayko-srt-01 7.1). */
const TS_PAYLOAD_BYTES = 1316
const TS_PACKET_BYTES = 188
/** Packets that the peer would deliver too late are dropped, but none that are younger than this (4.6). */
const MIN_DROP_US = 1_000_000
const DROP_SLACK_US = 20_000
/** The shortest time between repeats of a packet, whatever round trip the peer claims: it would get a multiple of the stream. */
const MIN_REPEAT_US = 10_000
/** The smallest window that is used even when the peer's is smaller, as in libsrt: its acknowledgement tells when there is room again. */
const MIN_WINDOW_PACKETS = 2
/**
 * The time that a receiving program on a busy machine may be late, as payloads it has not read are lost when a connection ends: libsrt's
 * value.
 */
const END_SLACK_US = 1_000_000
/** The most drop requests that answer one report. */
const MAX_DROP_REQUESTS = 8
/**
 * The most packets and ranges that all reports between two ticks may name, more than can be in flight: it bounds the cost of a peer's
 * reports.
 */
const MAX_REPORTED_PER_TICK = 16_384

export type SenderInit = PacketRunInit & {
  readonly keys: Pick<SendingKeys, 'count'> | undefined
  readonly nowUs: number
  readonly maxBytesPerSecond: number | undefined
  readonly sendControl: SendControl
}

/** The counters of a sender. */
export type SenderCounts = {
  packets: number
  bytes: number
  retransmitted: number
  retransmittedBytes: number
  lost: number
  dropped: number
  acknowledgements: number
  reports: number
}

/**
 * The sending half of a connection: it keeps its packets until the peer has acknowledged them or would deliver them too late, and repeats
 * those that the peer misses (draft-sharabayko-srt-01 4.6, 4.8 and 5.1).
 */
export class Sender {
  readonly counts: SenderCounts = {
    packets: 0,
    bytes: 0,
    retransmitted: 0,
    retransmittedBytes: 0,
    lost: 0,
    dropped: 0,
    acknowledgements: 0,
    reports: 0,
  }
  readonly roundTrip = new RoundTrip()
  readonly #init: SenderInit
  readonly #payloadBytes: number
  readonly #dropAfterUs: number
  readonly #buffer = new SendBuffer()
  readonly #pacer: Pacer
  readonly #run: PacketRun
  readonly #lossTimer: LossTimer
  readonly #repeats: RepeatBudget
  /** The index of the next packet to be sent. */
  #next = 0
  #unsentBytes = 0
  /** The index up to which packets were dropped without an acknowledgement. */
  #droppedEnd = 0
  #windowPackets: number
  /** The indexes of packets that the peer misses, in the order in which it reported them. */
  #lost: number[] = []
  /** The number of packets and ranges that are still taken from reports until the next tick. */
  #reportable = MAX_REPORTED_PER_TICK
  #sentUs: number
  /** The time of the newest payload. */
  #givenUs = -Infinity
  #linkPacketsPerSecond = 0

  constructor(init: SenderInit) {
    const { negotiated, nowUs, maxBytesPerSecond } = init
    this.#init = init
    const payloadBytes = Math.min(TS_PAYLOAD_BYTES, negotiated.maxPayloadBytes)
    this.#payloadBytes = payloadBytes - (payloadBytes % TS_PACKET_BYTES)
    this.#dropAfterUs = Math.max(negotiated.sendLatencyMs * 1000, MIN_DROP_US) + DROP_SLACK_US
    this.#windowPackets = negotiated.flowWindowPackets
    this.#pacer = new Pacer(nowUs, maxBytesPerSecond)
    this.#repeats = new RepeatBudget(nowUs)
    this.#run = new PacketRun(init)
    this.#sentUs = nowUs
    const isReportRepeated = negotiated.peerReportsLossPeriodically
    this.#lossTimer = new LossTimer({ nowUs, roundTrip: this.roundTrip, isReportRepeated })
  }

  /** The time at which the last data packet left. */
  get sentUs(): number {
    return this.#sentUs
  }

  /** The bytes that wait to be sent for the first time. */
  get queuedBytes(): number {
    return this.#unsentBytes
  }

  /** True when there is something to send as soon as it may leave. */
  get isBusy(): boolean {
    return this.#next < this.#buffer.end || this.#lost.length > 0
  }

  get flightPackets(): number {
    return this.#next - this.#buffer.first
  }

  get bufferedPackets(): number {
    return this.#buffer.end - this.#buffer.first
  }

  get bufferedBytes(): number {
    return this.#buffer.sizeBytes
  }

  /** The age of the oldest payload that is kept, in microseconds; 0 without one. */
  bufferedUs(nowUs: number): number {
    const { first, end } = this.#buffer
    return first === end ? 0 : nowUs - this.#buffer.originUsOf(first)
  }

  get linkPacketsPerSecond(): number {
    return this.#linkPacketsPerSecond
  }

  /** Sends whole packets of MPEG-TS; the bytes are kept, and must not be changed. */
  send(bytes: Buffer, nowUs: number): void {
    const step = this.#payloadBytes
    for (let at = 0; at < bytes.length; at += step) {
      this.#buffer.add(bytes, at, Math.min(step, bytes.length - at), nowUs)
    }
    this.#unsentBytes += bytes.length
    this.#givenUs = nowUs
    this.#pacer.count(bytes.length, nowUs)
    this.#transmit(nowUs)
  }

  /** The peer has everything before a number. */
  acknowledge({ sequence, rttUs, freePackets, linkPacketsPerSecond }: Acknowledgement, nowUs: number): void {
    this.counts.acknowledgements += 1
    const index = this.#indexOf(sequence)
    // An acknowledgement of packets that were never sent is not the peer's.
    if (index > this.#next) return
    if (index > this.#buffer.first) {
      // A light acknowledgement leaves the window as it is: the packets it acknowledges may not have been read.
      if (freePackets === undefined) this.#limitWindow(this.#windowPackets - (index - this.#buffer.first))
      this.#buffer.release(index)
      this.#lossTimer.restart(nowUs)
    }
    if (rttUs !== undefined) this.roundTrip.add(rttUs)
    if (freePackets !== undefined) this.#limitWindow(freePackets)
    if (linkPacketsPerSecond !== undefined) this.#linkPacketsPerSecond = linkPacketsPerSecond
    this.#transmit(nowUs)
  }

  /** Takes a loss report: the ranges of packets that the peer misses. */
  reportLoss(ranges: readonly LossRange[], nowUs: number): void {
    this.counts.reports += 1
    // A repeat that left less than a round trip ago may still be on its way.
    const sentAgainBeforeUs = nowUs - Math.max(MIN_REPEAT_US, this.roundTrip.rttUs)
    let dropRequests = MAX_DROP_REQUESTS
    for (const [firstSequence, lastSequence] of ranges) {
      if (this.#reportable <= 0) break
      this.#reportable -= 1
      const first = this.#indexOf(firstSequence)
      const last = Math.min(first + sequenceDistance(firstSequence, lastSequence), this.#next - 1)
      if (first < this.#droppedEnd && first >= 0 && dropRequests > 0) {
        dropRequests -= 1
        this.#requestDrop(firstSequence, Math.min(last, this.#droppedEnd - 1) - first)
      }
      for (let index = Math.max(first, this.#buffer.first); index <= last && this.#reportable > 0; index += 1) {
        this.#reportable -= 1
        if (this.#buffer.markLost(index, sentAgainBeforeUs)) this.#missed(index)
      }
    }
    this.#transmit(nowUs)
  }

  tick(nowUs: number): void {
    this.#reportable = MAX_REPORTED_PER_TICK
    this.#dropTooLate(nowUs)
    const isHeld = this.#next === this.#buffer.end || this.flightPackets >= this.#windowPackets
    if (this.flightPackets === 0) this.#lossTimer.restart(nowUs)
    else if (this.#lost.length === 0 && this.#lossTimer.isOver(nowUs, isHeld)) {
      // The last packet shows a peer which others it misses; a peer that reports a loss only once may have done so, and gets them all.
      const { peerReportsLossPeriodically } = this.#init.negotiated
      const from = peerReportsLossPeriodically ? this.#next - 1 : this.#buffer.first
      for (let index = from; index < this.#next; index += 1) {
        if (this.#buffer.markLost(index, nowUs)) this.#missed(index)
      }
    }
    this.#transmit(nowUs)
  }

  /** True when the peer has everything that was not dropped, and has had the time to play it. */
  isPlayed(nowUs: number): boolean {
    const playedUs = this.#givenUs + this.#init.negotiated.sendLatencyMs * 1000 + this.roundTrip.rttUs
    return this.bufferedPackets === 0 && nowUs > playedUs + END_SLACK_US
  }

  #limitWindow(packets: number): void {
    const windowPackets = Math.min(this.#init.negotiated.flowWindowPackets, packets)
    this.#windowPackets = Math.max(MIN_WINDOW_PACKETS, windowPackets)
  }

  #missed(index: number): void {
    this.#lost.push(index)
    this.counts.lost += 1
  }

  #dropTooLate(nowUs: number): void {
    if (!this.#init.negotiated.peerDropsTooLate) return
    const buffer = this.#buffer
    while (buffer.first < buffer.end && nowUs - buffer.originUsOf(buffer.first) > this.#dropAfterUs) {
      if (buffer.first === this.#next) {
        this.#unsentBytes -= buffer.lengthOf(this.#next)
        this.#next += 1
      }
      buffer.release(buffer.first + 1)
      this.counts.dropped += 1
      this.#droppedEnd = buffer.first
    }
  }

  /** Notifies the peer that packets will not come. Their message numbers are not needed, as the packets are named. */
  #requestDrop(first: number, more: number): void {
    this.#init.sendControl({ kind: 'dropRequest', messageNumber: 0, first, last: addToSequence(first, more) })
  }

  #transmit(nowUs: number): void {
    const buffer = this.#buffer
    let repeated = 0
    for (; repeated < this.#lost.length; repeated += 1) {
      const index = this.#lost[repeated]!
      if (index < buffer.first) continue
      if (!this.#repeats.allows(nowUs) || !this.#pacer.allows(nowUs)) break
      buffer.markRepeated(index, nowUs)
      this.counts.retransmitted += 1
      this.counts.retransmittedBytes += buffer.lengthOf(index)
      this.#repeats.spend(buffer.lengthOf(index))
      this.#pacer.spend(this.#run.write(buffer, index, true))
    }
    if (repeated > 0) this.#lost = this.#lost.slice(repeated)
    const before = this.#next
    while (this.#next < buffer.end && this.flightPackets < this.#windowPackets && this.#pacer.allows(nowUs)) {
      const length = buffer.lengthOf(this.#next)
      this.counts.bytes += length
      this.#repeats.earn(length, buffer.sizeBytes)
      this.#unsentBytes -= length
      this.#pacer.spend(this.#run.write(buffer, this.#next, false))
      this.#next += 1
    }
    this.counts.packets += this.#next - before
    if (this.#run.isEmpty) return
    this.#sentUs = nowUs
    this.#lossTimer.sent(nowUs)
    this.#run.flush()
    this.#init.keys?.count(this.#next - before)
  }

  /** The index of a sequence number; a number further than half the range from the buffer results in a wrong index. */
  #indexOf(sequence: number): number {
    const { first } = this.#buffer
    return first + sequenceDistance(addToSequence(this.#init.negotiated.sendSequence, first), sequence)
  }
}
