/** An RTP packet (RFC 3550 5.1). */
export type RtpPacket = {
  /** 0–127. */
  readonly payloadType: number
  readonly marker: boolean
  /** 16 bits. */
  readonly sequenceNumber: number
  /** 32 bits. */
  readonly timestamp: number
  /** 32 bits. */
  readonly ssrc: number
  /** The contributing sources. */
  readonly csrcs: readonly number[]
  readonly extension?: RtpHeaderExtension
  /** Without padding. */
  readonly payload: Buffer
}

/** The header extension as it lies in a packet (RFC 3550 5.3.1). */
export type RtpHeaderExtension = {
  /** 16 bits, for example 0xbede for elements with one-byte headers (RFC 8285 4.2). */
  readonly profile: number
  readonly data: Buffer
}
