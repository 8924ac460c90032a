import { rescale } from '../time/rescale.ts'
import type { RtpFormat } from './format.ts'
import type { RtpFraming } from './framing.ts'
import { RTP_HEADER_SIZE_BYTES, writeRtpHeader } from './packet.ts'
import type { RtpPayload } from './packetizer.ts'
import type { SenderReport } from './rtcp/sender-report.ts'

/** What a stream of packets begins with. */
export type RtpSenderInit = {
  readonly format: Pick<RtpFormat, 'payloadType' | 'clockRate'>
  /** 32 bits. */
  readonly ssrc: number
  /** Of the first packet, 16 bits; random, as RFC 3550 5.1 asks for. */
  readonly sequenceNumber: number
  /** The RTP time of time zero, 32 bits; random, too. */
  readonly timestampOffset: number
  readonly framing: RtpFraming
}

/** The sending end of an RTP stream: numbers its packets, gives them their times, and counts them. */
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

  /** Of the next packet. */
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
   */
  serialize(payloads: readonly RtpPayload[], timestamp: number): Buffer {
    const { format, framing, ssrc } = this.#init
    const headSizeBytes = framing.sizeBytes + RTP_HEADER_SIZE_BYTES
    let payloadBytes = 0
    for (const payload of payloads) payloadBytes += payload.sizeBytes
    const bytes = Buffer.allocUnsafe(payloads.length * headSizeBytes + payloadBytes)
    let offset = 0
    for (const { parts, sizeBytes, marker, offsetTicks = 0 } of payloads) {
      framing.write(bytes, offset, RTP_HEADER_SIZE_BYTES + sizeBytes)
      const { payloadType } = format
      const sequenceNumber = this.#sequenceNumber
      const head = { payloadType, marker, sequenceNumber, timestamp: (timestamp + offsetTicks) >>> 0, ssrc }
      writeRtpHeader(bytes, offset + framing.sizeBytes, head)
      this.#sequenceNumber = (sequenceNumber + 1) & 0xffff
      offset += headSizeBytes
      for (const part of parts) offset += part.copy(bytes, offset)
    }
    this.#packetCount += payloads.length
    this.#payloadBytes += payloadBytes
    return bytes
  }

  /** The RTP time of a time in ticks of `timescale`. */
  timestampOf(ticks: number, timescale: number): number {
    const { format, timestampOffset } = this.#init
    return modulo32(rescale(ticks, timescale, format.clockRate) + timestampOffset)
  }

  /**
   * The report that tells which wall clock time belongs to a time of the stream (RFC 3550 6.4.1).
   * @param ntpMs milliseconds since the Unix epoch
   * @param timeMs milliseconds of the stream
   */
  report(ntpMs: number, timeMs: number): SenderReport {
    return {
      kind: 'senderReport',
      ssrc: this.#init.ssrc,
      ntpMs,
      rtpTimestamp: this.timestampOf(timeMs, 1000),
      packetCount: modulo32(this.#packetCount),
      octetCount: modulo32(this.#payloadBytes),
      reports: [],
    }
  }
}

function modulo32(value: number): number {
  return value - Math.floor(value / 2 ** 32) * 2 ** 32
}
