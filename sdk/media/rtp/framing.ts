/** The prefix of each packet where RTP goes over a byte stream, for example its length. */
export interface RtpFraming {
  readonly sizeBytes: number
  /** Writes `sizeBytes` bytes at `offset`, for the packet that follows. */
  write(bytes: Buffer, offset: number, packetSizeBytes: number): void
}
