import type { RtpFormat } from 'sluice/sdk/media'

/** The header extensions (RFC 8285) that this server uses, with their URIs. */
export const RTP_EXTENSION = {
  mid: 'urn:ietf:params:rtp-hdrext:sdes:mid',
  rid: 'urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id',
  repairedRid: 'urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id',
  absoluteSendTime: 'http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time',
  transportSequence: 'http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01',
} as const

export type RtpExtensionName = keyof typeof RTP_EXTENSION

/** The RTCP feedback from a receiver to a sender (RFC 4585 4.2, RFC 5104 7.1) that both sides have agreed on. */
export type RtcpFeedback = 'nack' | 'nack pli' | 'ccm fir' | 'goog-remb' | 'transport-cc'

/**
 * The feedback that this end asks of its receivers: losses, and an estimate of their bandwidth (REMB), which comes once a second. Packets
 * are sent without the numbers that transport-cc reports: a receiver without REMB is judged by its loss reports.
 */
export const SENDER_FEEDBACK: ReadonlySet<RtcpFeedback> = new Set(['nack', 'nack pli', 'ccm fir', 'goog-remb'])

/** The header extensions that packets are sent with. */
export const SENT_EXTENSIONS: readonly RtpExtensionName[] = ['mid', 'absoluteSendTime']

/** A payload format as both sides have agreed on it. */
export type NegotiatedFormat = {
  readonly format: RtpFormat
  readonly feedback: ReadonlySet<RtcpFeedback>
  /** The payload type of repeated packets (RFC 4588); undefined when they are repeated unchanged. */
  readonly rtxPayloadType: number | undefined
}

/** An RTP stream in the description of its sender (RFC 5576). */
export type NegotiatedSource = {
  readonly ssrc: number
  /** The SSRC of the repeated packets (`ssrc-group:FID`). */
  readonly rtxSsrc: number | undefined
}

/** A media that both sides have agreed on. */
export type NegotiatedMedia = {
  readonly kind: 'audio' | 'video'
  /** Its place in the description, from 0. */
  readonly index: number
  /** The name of the media, in its packets' header extension if the sender writes it, and in candidates. */
  readonly mid: string
  /** The direction, as this end sees it. */
  readonly direction: 'send' | 'receive'
  /** The formats, the preferred one first; a sender uses it alone, a receiver accepts all. */
  readonly formats: readonly NegotiatedFormat[]
  /** Identifiers of header extensions, 1–14. */
  readonly extensions: ReadonlyMap<RtpExtensionName, number>
  /** The SSRCs: for a media that is received, as far as its sender has named them; for one that is sent, its own. */
  readonly sources: readonly NegotiatedSource[]
  /** The identifiers of the simulcast layers (RFC 8853) of a media that is received, in the sender's order of preference; else empty. */
  readonly rids: readonly string[]
}
