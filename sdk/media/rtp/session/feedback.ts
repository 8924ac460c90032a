import { serializeRtcp, type RtcpPacket } from '../rtcp/compound.ts'
import type { ReportBlock } from '../rtcp/report-block.ts'
import type { KeyframeRequester } from './keyframe-requester.ts'
import type { MissingPackets } from './missing-packets.ts'
import { serializeRtpReport } from './reports.ts'

/** The identity of this end towards a source, and the way to the source. */
export type RtpFeedbackInit = {
  /** The SSRC of this end, 32 bits; random, as it sends no media. */
  readonly ssrc: number
  /** The name of this end (RFC 7022). */
  readonly cname: string
  /** True when the source takes feedback without a report before it (RFC 5506). */
  readonly reducedSize: boolean
  /** Sends an RTCP packet to the source. */
  readonly send: (packet: Buffer) => void
}

/** The message that asks for a keyframe: PLI (RFC 4585 6.3.1), or FIR (RFC 5104 4.3.1). */
export type KeyframeMessage = 'pli' | 'fir'

/** The RTCP that a receiver sends to a source: reports on what has come, and requests for packets and keyframes. */
export class RtpFeedback {
  readonly #init: RtpFeedbackInit
  #requestedPackets = 0
  #requestedKeyframes = 0

  constructor(init: RtpFeedbackInit) {
    this.#init = init
  }

  /** The number of packets that were asked for, repeated requests included. */
  get requestedPackets(): number {
    return this.#requestedPackets
  }

  get requestedKeyframes(): number {
    return this.#requestedKeyframes
  }

  /** Reports on streams (RFC 3550 6.4.2), 31 at most, with the name of this end. `more` follows in the same packet. */
  report(reports: readonly ReportBlock[], ...more: readonly RtcpPacket[]): void {
    const { ssrc, cname, send } = this.#init
    send(serializeRtpReport({ kind: 'receiverReport', ssrc, reports }, cname, ...more))
  }

  /** Asks for those packets of a stream again that are due (RFC 4585 6.2.1). `nowMs` is the clock of {@link MissingPackets}. */
  askForPackets(mediaSsrc: number, missing: MissingPackets, nowMs: number): void {
    const sequenceNumbers = missing.due(nowMs)
    if (sequenceNumbers.length === 0) return
    this.#requestedPackets += sequenceNumbers.length
    this.tell({ kind: 'genericNack', senderSsrc: this.#init.ssrc, mediaSsrc, sequenceNumbers })
  }

  /** Asks for a keyframe of a stream if that is due. `nowMs` is the clock of {@link KeyframeRequester}. */
  askForKeyframe(
    mediaSsrc: number,
    keyframes: KeyframeRequester,
    nowMs: number,
    message: KeyframeMessage = 'pli',
  ): void {
    if (!keyframes.due(nowMs)) return
    this.#requestedKeyframes += 1
    const senderSsrc = this.#init.ssrc
    if (message === 'pli') return this.tell({ kind: 'pictureLossIndication', senderSsrc, mediaSsrc })
    const requests = [{ ssrc: mediaSsrc, sequenceNumber: this.#requestedKeyframes & 0xff }]
    this.tell({ kind: 'fullIntraRequest', senderSsrc, requests })
  }

  /** Sends another message of feedback. */
  tell(message: RtcpPacket): void {
    const { ssrc, reducedSize, send } = this.#init
    send(serializeRtcp(reducedSize ? [message] : [{ kind: 'receiverReport', ssrc, reports: [] }, message]))
  }
}
