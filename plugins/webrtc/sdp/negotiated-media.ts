import type { RtpFormat } from 'sluice/sdk/media'

/** Header extensions (RFC 8285) that are used here, by the names of their URIs. */
export const RTP_EXTENSION = {
  mid: 'urn:ietf:params:rtp-hdrext:sdes:mid',
  rid: 'urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id',
  repairedRid: 'urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id',
  absoluteSendTime: 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time',
  transportSequence: 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
} as const

export type RtpExtensionName = keyof typeof RTP_EXTENSION

/** What a receiver may tell a sender by RTCP (RFC 4585 4.2, RFC 5104 7.1), as both sides have agreed. */
export type RtcpFeedback = 'nack' | 'nack pli' | 'ccm fir' | 'goog-remb' | 'transport-cc'

/**
 * What those who get our packets are asked to tell: losses, and an estimate of what they can take (REMB), which comes once a
 * second. Packets are sent without the numbers that transport-cc reports: who knows no REMB is judged by its reports of losses.
 */
export const SENDER_FEEDBACK: ReadonlySet<RtcpFeedback> = new Set(['nack', 'nack pli', 'ccm fir', 'goog-remb'])

/** The header extensions that packets are sent with. */
export const SENT_EXTENSIONS: readonly RtpExtensionName[] = ['mid', 'absoluteSendTime']

/** A payload format as both sides have agreed on it. */
export type NegotiatedFormat = {
  readonly format: RtpFormat
  readonly feedback: ReadonlySet<RtcpFeedback>
  /** The payload type of packets that are sent again (RFC 4588); undefined where they go out as they were. */
  readonly rtxPayloadType: number | undefined
}

/** An RTP stream that the description of its sender names (RFC 5576). */
export type NegotiatedSource = {
  readonly ssrc: number
  /** Of the packets that are sent again (`ssrc-group:FID`). */
  readonly rtxSsrc: number | undefined
}

/** A media that both sides have agreed on. */
export type NegotiatedMedia = {
  readonly kind: 'audio' | 'video'
  /** Its place in the description, from 0. */
  readonly index: number
  /** What its packets name it by where the sender does so, and candidates do. */
  readonly mid: string
  /** Which way it goes, seen from here. */
  readonly direction: 'send' | 'receive'
  /** The first is preferred; a sender uses it alone, a receiver takes them all. */
  readonly formats: readonly NegotiatedFormat[]
  /** Identifiers of header extensions, 1–14. */
  readonly extensions: ReadonlyMap<RtpExtensionName, number>
  /** Where it is received: as far as the sender has named them. Where it is sent: the one that it is sent by. */
  readonly sources: readonly NegotiatedSource[]
  /** Where it is received as simulcast (RFC 8853): the identifiers of its layers, as the sender prefers them; else none. */
  readonly rids: readonly string[]
}
