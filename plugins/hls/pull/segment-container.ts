import { isId3 } from './packed-audio.ts'

/** The containers of segments (RFC 8216 3): MPEG-TS, fragmented MP4, or packed audio. */
export type SegmentContainer = 'ts' | 'fmp4' | 'packed'

const FMP4_BOXES = ['ftyp', 'styp', 'moov', 'moof', 'sidx', 'emsg', 'prft', 'free']
const BOX_HEAD_SIZE_BYTES = 8
const TS_PACKET_SIZE_BYTES = 188
const TS_SYNC_BYTE = 0x47

/**
 * Recognises the container of a segment by its bytes; undefined for other data, such as an error page.
 * @param hasInit true when it has an init segment, as only fragmented MP4 does
 */
export function containerOf(bytes: Buffer, hasInit: boolean): SegmentContainer | undefined {
  if (hasInit) return beginsWithBox(bytes) ? 'fmp4' : undefined
  if (FMP4_BOXES.includes(bytes.toString('latin1', 4, BOX_HEAD_SIZE_BYTES))) return 'fmp4'
  if (isId3(bytes) || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xf6) === 0xf0)) return 'packed'
  return hasPackets(bytes) ? 'ts' : undefined
}

/** True when the first box lies within the bytes (ISO/IEC 14496-12 4.2); for a size of 1, the real size follows the type. */
function beginsWithBox(bytes: Buffer): boolean {
  if (bytes.length < BOX_HEAD_SIZE_BYTES) return false
  const sizeBytes = bytes.readUInt32BE(0)
  return sizeBytes === 1 || (sizeBytes >= BOX_HEAD_SIZE_BYTES && sizeBytes <= bytes.length)
}

/** True when there is a packet, followed by another or by the end; some sources put other bytes before the first. */
function hasPackets(bytes: Buffer): boolean {
  let at = bytes.indexOf(TS_SYNC_BYTE)
  for (; at >= 0 && at + TS_PACKET_SIZE_BYTES <= bytes.length; at = bytes.indexOf(TS_SYNC_BYTE, at + 1)) {
    const next = at + TS_PACKET_SIZE_BYTES
    if (next === bytes.length || bytes[next] === TS_SYNC_BYTE) return true
  }
  return false
}
