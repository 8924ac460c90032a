import type { RtpFraming } from './framing.ts'

const LENGTH_SIZE_BYTES = 2

/** The length of each packet in two bytes before it (RFC 4571 2). */
export const LENGTH_FRAMING: RtpFraming = {
  sizeBytes: LENGTH_SIZE_BYTES,
  write: (bytes, offset, packetSizeBytes) => void bytes.writeUInt16BE(packetSizeBytes, offset),
}
