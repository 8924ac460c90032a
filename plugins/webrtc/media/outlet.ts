import { randomRtpStart, RtpSender, serializeRtpReport } from 'sluice/sdk/media'
import type { NegotiatedMedia } from '../sdp/negotiated-media.ts'
import type { PacketSender } from '../transport/peer-transport.ts'
import { PacketHistory, type SentPacket } from './packet-history.ts'
import { Reception } from './reception.ts'
import { RtpHead } from './rtp-head.ts'
import { MAX_PAYLOAD_BYTES, type MediaPacket } from './unit-packets.ts'

/** The number of packets that contain the name of their media: more than are lost in a row at the beginning. */
const MID_PACKETS = 32
/** The number of packets that may be sent again before any packet; each packet sent allows one more repeat. */
const FIRST_RESENDS = 64
/** The most that may be sent again at once. */
const MAX_RESENDS = 512
/** A packet that was sent less than this ago is still on its way, whatever round trip the reports contain. */
const MIN_RESEND_INTERVAL_MS = 10
/** Receivers ask again every round trip; a request within this share of it counts as the same. */
const RESEND_INTERVAL_RTTS = 0.5
const ORIGINAL_NUMBER_BYTES = 2

/** The payload of a packet that is sent again: the number that it had, and its payload. Read before the next is written. */
const resent = new Uint8Array(ORIGINAL_NUMBER_BYTES + MAX_PAYLOAD_BYTES)

export type OutletInit = {
  readonly media: NegotiatedMedia
  readonly transport: PacketSender
  readonly randomBytes: (sizeBytes: number) => Buffer
}

/** One RTP stream to one viewer: numbers and times of its packets, those that it asks for again, and reports. */
export class Outlet {
  /** The numbers, times and counts of its packets, without those that are sent again. */
  readonly sender: RtpSender
  readonly reception = new Reception()
  readonly #transport: PacketSender
  readonly #head: RtpHead
  readonly #rtxHead: RtpHead | undefined
  readonly #history: PacketHistory | undefined
  #rtxSequenceNumber: number
  #resentPackets = 0
  #resentBytes = 0
  #refusedPackets = 0
  #resends = FIRST_RESENDS

  constructor({ media, transport, randomBytes }: OutletInit) {
    const [agreed] = media.formats
    if (agreed === undefined) throw new RangeError(`no format was agreed on for ${media.kind}`)
    const { format, rtxPayloadType } = agreed
    const [source] = media.sources
    const { extensions, mid } = media
    const start = randomRtpStart(randomBytes(10))
    this.sender = new RtpSender({ ...start, format, ssrc: source?.ssrc ?? start.ssrc })
    this.#transport = transport
    this.#head = new RtpHead({ payloadType: format.payloadType, ssrc: this.sender.ssrc, extensions, mid })
    if (agreed.feedback.has('nack')) this.#history = new PacketHistory()
    if (rtxPayloadType !== undefined && source?.rtxSsrc !== undefined) {
      this.#rtxHead = new RtpHead({ payloadType: rtxPayloadType, ssrc: source.rtxSsrc, extensions, mid: undefined })
    }
    this.#rtxSequenceNumber = randomRtpStart(randomBytes(10)).sequenceNumber
  }

  /** True when a packet was sent. */
  get hasBegun(): boolean {
    return this.sender.packetCount > 0
  }

  /** The bytes of its packets' payloads, those of repeats included. */
  get payloadBytes(): number {
    return this.sender.payloadBytes + this.#resentBytes
  }

  get resentPackets(): number {
    return this.#resentPackets
  }

  /** The number of packets that were asked for and not sent again: unknown, too old, on their way, or too many. */
  get refusedPackets(): number {
    return this.#refusedPackets
  }

  /**
   * Sends the packets of a unit; they leave with the next flush of the transport.
   * @param ticks the time of the unit, by the clock rate
   * @param isMarked true to mark the first packet as the first after silence (RFC 3551 4.1)
   */
  send(packets: readonly MediaPacket[], ticks: number, isMarked: boolean, nowMs: number): void {
    const head = this.#head
    const { sender } = this
    const transport = this.#transport
    const timestamp = sender.timestampOf(ticks, sender.clockRate)
    let { sequenceNumber } = sender
    let payloadBytes = 0
    let marks = isMarked
    this.#history?.add(sequenceNumber, packets, timestamp, nowMs)
    head.setSendTime(nowMs)
    for (let index = 0; index < packets.length; index++) {
      const { payload, marker, offsetTicks } = packets[index]!
      head.set(marker || marks, sequenceNumber, timestamp + offsetTicks)
      transport.write(head.bytes, head.sizeBytes, payload)
      sequenceNumber = (sequenceNumber + 1) & 0xffff
      payloadBytes += payload.length
      marks = false
    }
    this.#resends = Math.min(MAX_RESENDS, this.#resends + packets.length)
    const isNew = sender.packetCount < MID_PACKETS
    sender.sent(packets.length, payloadBytes)
    if (isNew && sender.packetCount >= MID_PACKETS) head.leaveMid()
  }

  /**
   * Sends the packets again that a receiver misses, as far as they are kept and not too many: by RTX (RFC 4588), or as they were without
   * RTX, which SRTP leaves out when it encrypts by GCM (RFC 7714 8.1).
   */
  resend(sequenceNumbers: readonly number[], nowMs: number): void {
    const rttMs = this.reception.rttMs ?? 0
    const intervalMs = Math.max(MIN_RESEND_INTERVAL_MS, rttMs * RESEND_INTERVAL_RTTS)
    for (const sequenceNumber of sequenceNumbers) {
      const sent = this.#resends > 0 ? this.#history?.take(sequenceNumber, nowMs, intervalMs) : undefined
      if (sent === undefined) this.#refusedPackets += 1
      else this.#writeAgain(sent, sequenceNumber, nowMs)
    }
  }

  /**
   * The sender report, which maps a time of the stream to the wall clock (RFC 3550 6.4.1), with the CNAME.
   * @param timeMs the time in milliseconds of the stream
   */
  report(ntpMs: number, timeMs: number, cname: string, nowMs: number): Buffer {
    this.reception.reportSent(ntpMs, nowMs)
    const { sender } = this
    const ticks = Math.round((timeMs * sender.clockRate) / 1000)
    return serializeRtpReport(sender.report(ntpMs, sender.timestampOf(ticks, sender.clockRate)), cname)
  }

  #writeAgain({ packet, timestamp }: SentPacket, sequenceNumber: number, nowMs: number): void {
    const { payload, marker } = packet
    const head = payload.length > MAX_PAYLOAD_BYTES ? this.#head : (this.#rtxHead ?? this.#head)
    head.setSendTime(nowMs)
    if (head === this.#head) {
      head.set(marker, sequenceNumber, timestamp)
      this.#transport.write(head.bytes, head.sizeBytes, payload)
    } else {
      resent[0] = sequenceNumber >>> 8
      resent[1] = sequenceNumber
      resent.set(payload, ORIGINAL_NUMBER_BYTES)
      head.set(marker, this.#rtxSequenceNumber, timestamp)
      this.#transport.write(head.bytes, head.sizeBytes, resent.subarray(0, ORIGINAL_NUMBER_BYTES + payload.length))
      this.#rtxSequenceNumber = (this.#rtxSequenceNumber + 1) & 0xffff
    }
    this.#resends -= 1
    this.#resentPackets += 1
    this.#resentBytes += payload.length
  }
}
