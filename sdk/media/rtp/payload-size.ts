/** Room for the headers of any payload format and a few bytes of media. */
const MIN_PAYLOAD_BYTES = 32

/** The options of all packetizers. */
export type PacketizerOptions = {
  /** The largest payload of a packet: the largest datagram of the network, less the headers of RTP and below. At least 32. */
  readonly maxPayloadBytes: number
}

/** Returns the largest payload. @throws {RangeError} when it is too small for any payload format */
export function checkMaxPayload({ maxPayloadBytes }: PacketizerOptions): number {
  if (maxPayloadBytes >= MIN_PAYLOAD_BYTES) return maxPayloadBytes
  throw new RangeError(`maxPayloadBytes must be at least ${MIN_PAYLOAD_BYTES}, not ${maxPayloadBytes}`)
}
