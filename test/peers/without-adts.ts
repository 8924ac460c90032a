import type { PeerFrame } from './rtsp.ts'

const HEADER_BYTES = 7
const CRC_BYTES = 2

/** A packet of AAC without the ADTS header that MPEG-TS has (ISO/IEC 13818-7 6.2); everything else as it is. */
export function withoutAdts(frame: PeerFrame): PeerFrame {
  const { kind, data } = frame
  const isAdts = kind === 'audio' && data.length > HEADER_BYTES && (data.readUInt16BE(0) & 0xfff6) === 0xfff0
  if (!isAdts) return frame
  const hasCrc = (data[1]! & 1) === 0
  return { ...frame, data: data.subarray(HEADER_BYTES + (hasCrc ? CRC_BYTES : 0)) }
}
