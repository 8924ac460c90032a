import { MalformedError } from '../../errors.ts'

/** Types of RTCP packets (RFC 3550 12.1, RFC 4585 6.1). */
export const RTCP_TYPE = {
  senderReport: 200,
  receiverReport: 201,
  sourceDescription: 202,
  bye: 203,
  applicationDefined: 204,
  transportFeedback: 205,
  payloadFeedback: 206,
} as const

/** The highest count that the 5 bits of the header can hold. */
const RTCP_MAX_COUNT = 31

const VERSION = 2
const HAS_PADDING = 0x20
const HEADER_SIZE_BYTES = 4
const MAX_SIZE_BYTES = HEADER_SIZE_BYTES + 0xffff * 4

/**
 * An RTCP packet without the meaning of its body (RFC 3550 6.4.1):
 *
 *     version (2) | padding (1) | count (5) | type (8) | count of words behind the first one (16) | body
 */
export type RawRtcpPacket = {
  readonly type: number
  /** Reports, sources, a subtype or a format: 0–31. */
  readonly count: number
  /** A view without padding. */
  readonly body: Buffer
}

/**
 * Cuts a compound packet into its packets.
 * @param maxPackets more than that are refused
 * @throws {MalformedError} when one is of another version or longer than the rest of the bytes.
 */
export function splitRtcp(bytes: Buffer, maxPackets: number): RawRtcpPacket[] {
  const packets: RawRtcpPacket[] = []
  let offset = 0
  do {
    if (packets.length === maxPackets) throw new MalformedError(`more than ${maxPackets} RTCP packets in one`)
    const end = offset + readSize(bytes, offset)
    const flags = bytes[offset]!
    if (flags >> 6 !== VERSION) throw new MalformedError(`RTCP packet of version ${flags >> 6} at byte ${offset}`)
    const whole = bytes.subarray(offset + HEADER_SIZE_BYTES, end)
    const body = (flags & HAS_PADDING) === 0 ? whole : withoutPadding(whole)
    packets.push({ type: bytes[offset + 1]!, count: flags & RTCP_MAX_COUNT, body })
    offset = end
  } while (offset < bytes.length)
  return packets
}

function withoutPadding(body: Buffer): Buffer {
  const sizeBytes = body.at(-1) ?? 0
  if (sizeBytes === 0 || sizeBytes % 4 !== 0 || sizeBytes > body.length) {
    throw new MalformedError(`RTCP packet with ${sizeBytes} bytes of padding in ${body.length}`)
  }
  return body.subarray(0, -sizeBytes)
}

function readSize(bytes: Buffer, offset: number): number {
  const left = bytes.length - offset
  const sizeBytes =
    left < HEADER_SIZE_BYTES ? HEADER_SIZE_BYTES : HEADER_SIZE_BYTES + bytes.readUInt16BE(offset + 2) * 4
  if (sizeBytes > left) throw new MalformedError(`RTCP packet of ${sizeBytes} bytes at byte ${offset}, ${left} left`)
  return sizeBytes
}

/**
 * Makes a compound packet.
 * @throws {MalformedError} when a body is too long or of no whole words, or a count is above 31.
 */
export function joinRtcp(packets: readonly RawRtcpPacket[]): Buffer {
  const sizeBytes = packets.reduce((sum, { body }) => sum + HEADER_SIZE_BYTES + body.length, 0)
  const bytes = Buffer.allocUnsafe(sizeBytes)
  let offset = 0
  for (const { type, count, body } of packets) {
    if (body.length % 4 !== 0 || body.length > MAX_SIZE_BYTES - HEADER_SIZE_BYTES) {
      throw new MalformedError(`RTCP packet of type ${type} with a body of ${body.length} bytes`)
    }
    if (count > RTCP_MAX_COUNT) throw new MalformedError(`RTCP packet of type ${type} with a count of ${count}`)
    bytes[offset] = (VERSION << 6) | count
    bytes[offset + 1] = type
    bytes.writeUInt16BE(body.length / 4, offset + 2)
    offset += HEADER_SIZE_BYTES
    offset += body.copy(bytes, offset)
  }
  return bytes
}
