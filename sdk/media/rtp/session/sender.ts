import { rescale } from '../../time/rescale.ts'
import type { RtpFormat } from '../format.ts'
import type { RtpFraming } from '../framing.ts'
import { RTP_HEADER_SIZE_BYTES, writeRtpHeader } from '../packet.ts'
import type { RtpPayload } from '../packetizer.ts'
import type { SenderReport } from '../rtcp/sender-report.ts'

/** The start of a stream of packets. */
export type RtpSenderInit = {
  readonly format: Pick<RtpFormat, 'payloadType' | 'clockRate'>
  /** 32 bits. */
  readonly ssrc: number
  /** The number of the first packet, 16 bits; random, as RFC 3550 5.1 asks for. */
  readonly sequenceNumber: number
  /** The RTP time of time zero, 32 bits; random, too. */
  readonly timestampOffset: number
}

const NO_FRAMING: RtpFraming = { sizeBytes: 0, write: () => {} }
/** Numbers begin in the lower half, so that a receiver sees no wrap before the first packet (RFC 3711 3.3.1). */
const FIRST_SEQUENCE_MASK = 0x7fff

/**
 * Returns an unpredictable start of a stream.
 * @param random 10 bytes
 * @throws {RangeError} when there are fewer
 */
export function randomRtpStart(random: Buffer): Pick<RtpSenderInit, 'ssrc' | 'sequenceNumber' | 'timestampOffset'> {
  return {
    sequenceNumber: random.readUInt16BE(0) & FIRST_SEQUENCE_MASK,
    timestampOffset: random.readUInt32BE(2),
    ssrc: random.readUInt32BE(6),
  }
}

/**
 * The sending end of an RTP stream: numbers its packets, gives them their times, and counts them. It writes the packets
 * (`serialize`), or leaves that to the caller, which reports their number (`sent`).
 */
export class RtpSender {
  readonly #init: RtpSenderInit
  #sequenceNumber: number
  #packetCount = 0
  #payloadBytes = 0

  constructor(init: RtpSenderInit) {
    this.#init = init
    this.#sequenceNumber = init.sequenceNumber
  }

  get ssrc(): number {
    return this.#init.ssrc
  }

  /** Ticks a second of its times. */
  get clockRate(): number {
    return this.#init.format.clockRate
  }

  get packetCount(): number {
    return this.#packetCount
  }

  /** The payload bytes of its packets. */
  get payloadBytes(): number {
    return this.#payloadBytes
  }

  /** The number of the next packet. */
  get sequenceNumber(): number {
    return this.#sequenceNumber
  }

  /** A sender that goes on from here by itself: for receivers that get other packets from now on. */
  fork(): RtpSender {
    const fork = new RtpSender({ ...this.#init, sequenceNumber: this.#sequenceNumber })
    fork.#packetCount = this.#packetCount
    fork.#payloadBytes = this.#payloadBytes
    return fork
  }

  /**
   * Returns the packets of some payloads one after the other, each in its framing.
   * @param timestamp as `timestampOf` gives it
   * @param framing what stands before each packet; nothing unless given
   */
  serialize(payloads: readonly RtpPayload[], timestamp: number, framing: RtpFraming = NO_FRAMING): Buffer {
    const { format, ssrc } = this.#init
    const headSizeBytes = framing.sizeBytes + RTP_HEADER_SIZE_BYTES
    let payloadBytes = 0
    for (const payload of payloads) payloadBytes += payload.sizeBytes
    const bytes = Buffer.allocUnsafe(payloads.length * headSizeBytes + payloadBytes)
    let offset = 0
    let sequenceNumber = this.#sequenceNumber
    for (const { parts, sizeBytes, marker, offsetTicks = 0 } of payloads) {
      framing.write(bytes, offset, RTP_HEADER_SIZE_BYTES + sizeBytes)
      const { payloadType } = format
      const head = { payloadType, marker, sequenceNumber, timestamp: (timestamp + offsetTicks) >>> 0, ssrc }
      writeRtpHeader(bytes, offset + framing.sizeBytes, head)
      sequenceNumber += 1
      offset += headSizeBytes
      for (const part of parts) offset += part.copy(bytes, offset)
    }
    this.sent(payloads.length, payloadBytes)
    return bytes
  }

  /** Counts packets that the caller has written with the numbers from `sequenceNumber` on. */
  sent(packets: number, payloadBytes: number): void {
    this.#sequenceNumber = (this.#sequenceNumber + packets) & 0xffff
    this.#packetCount += packets
    this.#payloadBytes += payloadBytes
  }

  /** The RTP time of a time in whole ticks of `timescale`: 32 bits. */
  timestampOf(ticks: number, timescale: number): number {
    const { format, timestampOffset } = this.#init
    return modulo32(rescale(ticks, timescale, format.clockRate) + timestampOffset)
  }

  /**
   * Returns the report of the wall clock's time at a time of the stream (RFC 3550 6.4.1).
   * @param ntpMs milliseconds since the Unix epoch
   * @param timestamp as `timestampOf` returns it
   */
  report(ntpMs: number, timestamp: number): SenderReport {
    return {
      kind: 'senderReport',
      ssrc: this.#init.ssrc,
      ntpMs,
      rtpTimestamp: timestamp,
      packetCount: modulo32(this.#packetCount),
      octetCount: modulo32(this.#payloadBytes),
      reports: [],
    }
  }
}

function modulo32(value: number): number {
  return value - Math.floor(value / 2 ** 32) * 2 ** 32
}
