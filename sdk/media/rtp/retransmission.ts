import type { RtpPacket } from './packet.ts'

const SEQUENCE_NUMBER_SIZE_BYTES = 2

/**
 * The packet that one of a retransmission stream holds (RFC 4588 4): its sequence number (16) | its payload. It is
 * undefined for those that hold none, which senders probe the network with.
 * @param payloadType what the packet has been sent with at first
 */
export function unwrapRetransmission(packet: RtpPacket, payloadType: number, ssrc: number): RtpPacket | undefined {
  const { payload, marker, timestamp, csrcs, extension } = packet
  if (payload.length <= SEQUENCE_NUMBER_SIZE_BYTES) return undefined
  const sequenceNumber = payload.readUInt16BE(0)
  const original = payload.subarray(SEQUENCE_NUMBER_SIZE_BYTES)
  return { payloadType, marker, sequenceNumber, timestamp, ssrc, csrcs, extension, payload: original }
}
