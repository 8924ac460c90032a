import { joinAnnexB } from '../../../sdk/media/codec/nalu.ts'
import type { PeerFrame } from '../../peers/rtsp.ts'

const LENGTH_BYTES = 4
const START_CODE = Buffer.of(0, 0, 1)

/** Splits a picture with start codes (H.264 and H.265, annex B) into its NAL units. */
export function splitAtStartCodes(data: Buffer): Buffer[] {
  const units: Buffer[] = []
  for (let at = data.indexOf(START_CODE); at !== -1;) {
    const start = at + START_CODE.length
    const next = data.indexOf(START_CODE, start)
    const unit = withoutZeros(data.subarray(start, next === -1 ? data.length : next))
    if (unit.length > 0) units.push(unit)
    at = next
  }
  return units
}

/** Splits a picture of a file (ISO/IEC 14496-15, lengths of four bytes) into its NAL units. */
export function splitAtLengths(data: Buffer): Buffer[] {
  const units: Buffer[] = []
  for (let at = 0; at < data.length;) {
    const start = at + LENGTH_BYTES
    at = start + data.readUInt32BE(at)
    units.push(data.subarray(start, at))
  }
  return units
}

/** A picture of a file with start codes, as RTSP has them; sound as it is. */
export function withStartCodes(frame: PeerFrame): PeerFrame {
  return frame.kind === 'video' ? { ...frame, data: joinAnnexB(splitAtLengths(frame.data)) } : frame
}

/** The slices of a picture: what is left of it whatever way it took, without parameter sets, SEI and delimiters. */
export function slicesOf(units: readonly Buffer[], codec: 'h264' | 'h265'): Buffer {
  return Buffer.concat(units.filter(([first = 0]) => (codec === 'h264' ? isH264Slice(first) : isH265Slice(first))))
}

// Zeros before a start code belong to it, and no NAL unit ends with one.
function withoutZeros(unit: Buffer): Buffer {
  let end = unit.length
  while (end > 0 && unit[end - 1] === 0) end--
  return unit.subarray(0, end)
}

function isH264Slice(first: number): boolean {
  const type = first & 0x1f
  return type >= 1 && type <= 5
}

function isH265Slice(first: number): boolean {
  return ((first >> 1) & 0x3f) < 32
}
