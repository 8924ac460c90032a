import type { ReceivingKeys } from '../crypto/receiving-keys.ts'
import type { Negotiated } from '../handshake/negotiation.ts'
import type { DataPacket } from '../packet/data-packet.ts'
import type { LossRange } from '../packet/loss-list.ts'
import { addToSequence, sequenceDistance } from '../sequence.ts'
import { AcknowledgementLog } from './acknowledgement-log.ts'
import { ArrivalRate } from './arrival-rate.ts'
import type { SendControl } from './control-body.ts'
import { LinkProbe } from './link-probe.ts'
import { ReceiveBuffer } from './receive-buffer.ts'
import { RoundTrip } from './round-trip.ts'
import { TimeBase } from './time-base.ts'

/** The time between full acknowledgements (draft-sharabayko-srt-01 4.8.1). */
const ACKNOWLEDGE_INTERVAL_US = 10_000
/** This many packets result in a light acknowledgement before the next full one is due (4.8.1). */
const PACKETS_PER_LIGHT_ACKNOWLEDGEMENT = 64
/** The shortest time between two reports of a loss (4.8.2). */
const MIN_REPORT_INTERVAL_US = 20_000
/** The most ranges of one report. */
const MAX_REPORTED_RANGES = 180
/** A packet with a time stamp further ahead than this is delivered at once: the peer's clock may have jumped. */
const MAX_AHEAD_US = 1_000_000
/** This many consecutive packets beyond the buffer show that the stream goes on there. */
const PACKETS_TO_GO_ON = 16
const MAX_NUMBER = 0xffff_ffff

export type ReceiverInit = {
  readonly negotiated: Negotiated
  readonly keys: Pick<ReceivingKeys, 'decrypt'> | undefined
  readonly nowUs: number
  readonly sendControl: SendControl
  /** Takes payloads in order, with the number of payloads given up before each. */
  readonly received: (payload: Buffer, missing: number) => void
}

/** The counters of a receiver. */
export type ReceiverCounts = {
  packets: number
  bytes: number
  lost: number
  dropped: number
  belated: number
  duplicates: number
  undecrypted: number
  acknowledgements: number
  reports: number
}

/**
 * The receiving half of a connection: it holds payloads until their time, reports missing packets, and gives them up when the next payload
 * is due (draft-sharabayko-srt-01 4.5, 4.6 and 4.8).
 */
export class Receiver {
  readonly counts: ReceiverCounts = {
    packets: 0,
    bytes: 0,
    lost: 0,
    dropped: 0,
    belated: 0,
    duplicates: 0,
    undecrypted: 0,
    acknowledgements: 0,
    reports: 0,
  }
  readonly roundTrip = new RoundTrip()
  readonly timeBase: TimeBase
  readonly #init: ReceiverInit
  readonly #latencyUs: number
  readonly #buffer: ReceiveBuffer
  readonly #log = new AcknowledgementLog()
  readonly #rate: ArrivalRate
  readonly #probe = new LinkProbe()
  /** The index up to which every packet came or was given up. */
  #acknowledgeable = 0
  #acknowledged = 0
  /** The index up to which the peer has confirmed an acknowledgement. */
  #confirmed = 0
  #number = 0
  #acknowledgedUs: number
  #lightPackets = 0
  #reportedUs: number
  #aheadCount = 0
  #aheadIndex = 0
  /** The number of packets given up since the last payload that was delivered. */
  #missing = 0

  constructor(init: ReceiverInit) {
    this.#init = init
    this.#latencyUs = init.negotiated.receiveLatencyMs * 1000
    this.#buffer = new ReceiveBuffer(init.negotiated.flowWindowPackets)
    this.timeBase = new TimeBase(init.negotiated.peerStartUs, init.nowUs)
    this.#rate = new ArrivalRate(init.nowUs)
    this.#acknowledgedUs = init.nowUs
    this.#reportedUs = init.nowUs
  }

  get rate(): ArrivalRate {
    return this.#rate
  }

  get linkPacketsPerSecond(): number {
    return this.#probe.packetsPerSecond
  }

  /** True while payloads wait for their time, or the peer has not confirmed their acknowledgement. */
  get isBusy(): boolean {
    return this.#buffer.first < this.#buffer.end || this.#confirmed < this.#buffer.end
  }

  get bufferedPackets(): number {
    return this.#buffer.end - this.#buffer.first - this.#buffer.missingCount
  }

  get bufferedBytes(): number {
    return this.#buffer.sizeBytes
  }

  receive(packet: DataPacket, nowUs: number): void {
    const { payload, sequence, isRetransmitted } = packet
    this.counts.packets += 1
    this.counts.bytes += payload.length
    this.#rate.count(payload.length, nowUs)
    const timeUs = this.timeBase.timeOf(packet.timestamp)
    const index = this.#indexOf(sequence)
    if (index < this.#buffer.first) {
      this.counts.belated += 1
      return
    }
    const end = this.#buffer.end
    if (!this.#buffer.isMissing(index)) {
      this.counts.duplicates += 1
      return
    }
    if (!this.#buffer.hasPlaceFor(index)) return this.#beyond(index)
    const stampedUs = this.#init.negotiated.peerStampsTimes ? timeUs : nowUs
    const dueUs = Math.min(stampedUs, nowUs + MAX_AHEAD_US) + this.#latencyUs
    this.#buffer.put(index, this.#decrypt(packet), dueUs)
    if (index >= end) this.#aheadCount = 0
    if (index > end) this.#lost(end, index)
    if (index >= end && !isRetransmitted) this.#probe.count(sequence, nowUs)
    this.#deliver(nowUs)
    this.#lightPackets += 1
    if (this.#lightPackets >= PACKETS_PER_LIGHT_ACKNOWLEDGEMENT) this.#acknowledgeLightly()
  }

  /** The peer has given up packets. */
  giveUp(first: number, last: number, nowUs: number): void {
    const from = this.#indexOf(first)
    const to = from + sequenceDistance(first, last) + 1
    this.counts.dropped += this.#buffer.giveUp(from, to)
    this.#deliver(nowUs)
  }

  /** The peer has answered an acknowledgement. */
  confirm(number: number, timestamp: number, nowUs: number): void {
    const sent = this.#log.take(number)
    if (sent === undefined) return
    const rttUs = nowUs - sent.timeUs
    this.roundTrip.add(rttUs)
    this.#confirmed = Math.max(this.#confirmed, sent.index)
    this.timeBase.measure(timestamp, nowUs, (rttUs - this.roundTrip.firstUs) / 2)
  }

  tick(nowUs: number): void {
    this.#rate.tick(nowUs)
    this.#deliver(nowUs)
    if (nowUs - this.#acknowledgedUs >= ACKNOWLEDGE_INTERVAL_US) this.#acknowledge(nowUs)
    if (this.#buffer.missingCount > 0 && nowUs - this.#reportedUs >= this.#reportIntervalUs) {
      this.#reportedUs = nowUs
      this.#report(this.#buffer.first, this.#buffer.end)
    }
  }

  /** Delivers all payloads: the peer has ended, and nothing more comes. */
  flush(): void {
    this.#deliver(Infinity)
  }

  #deliver(nowUs: number): void {
    const buffer = this.#buffer
    while (buffer.first < buffer.end) {
      const { first } = buffer
      if (buffer.isMissing(first)) {
        const next = buffer.nextPresent(first)
        if (next === buffer.end || buffer.timeUsOf(next) > nowUs) return
        this.counts.dropped += buffer.giveUp(first, next)
      } else if (this.#waits(first, nowUs)) return
      const payload = buffer.shift()
      const missing = this.#missing
      this.#missing = payload === undefined ? missing + 1 : 0
      if (payload !== undefined) this.#init.received(payload, missing)
    }
  }

  /** True when the payload at an index has come, but is not due. */
  #waits(index: number, nowUs: number): boolean {
    const { peerStampsTimes } = this.#init.negotiated
    return peerStampsTimes && !this.#buffer.isGivenUp(index) && this.#buffer.timeUsOf(index) > nowUs
  }

  #decrypt({ keyFlag, sequence, payload }: DataPacket): Buffer | undefined {
    const { keys } = this.#init
    if (keyFlag === 0 && keys === undefined) return payload
    // A plain payload in spite of keys, or an encrypted one without keys, is not the peer's.
    const clear = keyFlag === 0 ? undefined : keys?.decrypt(keyFlag, sequence, payload)
    if (clear === undefined) this.counts.undecrypted += 1
    return clear
  }

  #lost(from: number, to: number): void {
    this.counts.lost += to - from
    this.#report(from, to)
  }

  /** Reports the missing packets from one index up to another. */
  #report(from: number, to: number): void {
    const buffer = this.#buffer
    const ranges: LossRange[] = []
    let first = buffer.nextMissing(from)
    while (first < to && ranges.length < MAX_REPORTED_RANGES) {
      let last = first
      while (last + 1 < to && buffer.isMissing(last + 1)) last += 1
      ranges.push([this.#sequenceOf(first), this.#sequenceOf(last)])
      first = buffer.nextMissing(last + 1)
    }
    if (ranges.length === 0) return
    this.counts.reports += 1
    this.#init.sendControl({ kind: 'lossReport', ranges })
  }

  #acknowledge(nowUs: number): void {
    const index = this.#advance()
    if (index === this.#confirmed) return
    if (index === this.#acknowledged && nowUs - this.#acknowledgedUs < this.roundTrip.timeoutUs) return
    this.#number = this.#number === MAX_NUMBER ? 1 : this.#number + 1
    this.#acknowledged = index
    this.#acknowledgedUs = nowUs
    this.#lightPackets = 0
    this.#log.add(this.#number, nowUs, index)
    this.counts.acknowledgements += 1
    this.#init.sendControl({
      kind: 'acknowledgement',
      number: this.#number,
      acknowledgement: {
        sequence: this.#sequenceOf(index),
        rttUs: Math.round(this.roundTrip.rttUs),
        rttVarianceUs: Math.round(this.roundTrip.varianceUs),
        freePackets: Math.max(2, this.#buffer.freePackets),
        packetsPerSecond: this.#rate.packetsPerSecond,
        linkPacketsPerSecond: this.#probe.packetsPerSecond,
        bytesPerSecond: this.#rate.bytesPerSecond,
      },
    })
  }

  #acknowledgeLightly(): void {
    this.#lightPackets = 0
    const sequence = this.#sequenceOf(this.#advance())
    this.#init.sendControl({ kind: 'lightAcknowledgement', sequence })
  }

  #advance(): number {
    this.#acknowledgeable = this.#buffer.nextMissing(Math.max(this.#acknowledgeable, this.#buffer.first))
    return this.#acknowledgeable
  }

  /**
   * Takes a packet beyond the buffer. Several such packets in a row show that those between were never sent, or are far too old. A sender
   * that waits for room repeats the same ones, which shows nothing while the buffer has payloads.
   */
  #beyond(index: number): void {
    const isWaiting = this.#buffer.first < this.#buffer.end
    const ahead = index - this.#aheadIndex
    const isNear = Math.abs(ahead) < PACKETS_TO_GO_ON * 2
    if (isWaiting && isNear && ahead <= 0) return
    this.#aheadCount = isNear || !isWaiting ? this.#aheadCount + 1 : 1
    this.#aheadIndex = index
    if (this.#aheadCount < PACKETS_TO_GO_ON) return
    this.#aheadCount = 0
    this.flush()
    const missing = index - this.#buffer.end
    this.counts.dropped += missing
    this.#missing += missing
    this.#buffer.restart(index)
  }

  get #reportIntervalUs(): number {
    return Math.max(MIN_REPORT_INTERVAL_US, this.roundTrip.timeoutUs / 2)
  }

  #indexOf(sequence: number): number {
    const { end } = this.#buffer
    return end + sequenceDistance(this.#sequenceOf(end), sequence)
  }

  #sequenceOf(index: number): number {
    return addToSequence(this.#init.negotiated.receiveSequence, index)
  }
}
