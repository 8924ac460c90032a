/** The format of one RTP stream: a payload type of a media description (RFC 8866 5.14, `rtpmap` and `fmtp`). */
export type RtpFormat = {
  /** 0–127. */
  readonly payloadType: number
  /** The registered name in upper case, for example `H264` or `MPEG4-GENERIC`. */
  readonly encodingName: string
  /** Ticks a second of the RTP times. */
  readonly clockRate: number
  /** The channels of sound by `rtpmap`; 1 unless it states them. */
  readonly channels: number
  /** The parameters of `fmtp`, by name in lower case. */
  readonly parameters: ReadonlyMap<string, string>
}
