import { MalformedError } from '../../errors.ts'
import { seiMessages } from '../sei.ts'

/** NAL unit types that matter outside a decoder (ISO/IEC 14496-10 table 7-1). */
export const H264_NALU_TYPE = {
  SLICE: 1,
  IDR: 5,
  SEI: 6,
  SPS: 7,
  PPS: 8,
  ACCESS_UNIT_DELIMITER: 9,
  END_OF_SEQUENCE: 10,
  END_OF_STREAM: 11,
  FILLER: 12,
  SPS_EXTENSION: 13,
} as const

/** Types of NAL units that a byte stream needs and access units do not have. */
export const H264_FRAMING_TYPES: ReadonlySet<number> = new Set([
  H264_NALU_TYPE.ACCESS_UNIT_DELIMITER,
  H264_NALU_TYPE.END_OF_SEQUENCE,
  H264_NALU_TYPE.END_OF_STREAM,
  H264_NALU_TYPE.FILLER,
])

const SEI_RECOVERY_POINT = 6

/** The type of a NAL unit; 0, which is unspecified, for an empty one. */
export function h264NaluType(nalu: Buffer): number {
  return (nalu[0] ?? 0) & 0x1f
}

/**
 * Returns true when a decoder can start at this access unit: it has an IDR slice, or a recovery point. Streams with open
 * groups of pictures or intra refresh may have no IDR after their first, and mark places to start at by recovery points.
 */
export function isH264RandomAccess(nalus: readonly Buffer[]): boolean {
  let recoveryPoint = false
  for (const nalu of nalus) {
    const type = h264NaluType(nalu)
    if (type === H264_NALU_TYPE.IDR) return true
    if (type === H264_NALU_TYPE.SEI) recoveryPoint ||= hasRecoveryPoint(nalu)
  }
  return recoveryPoint
}

// A broken message hides only those behind it.
function hasRecoveryPoint(nalu: Buffer): boolean {
  try {
    for (const { type } of seiMessages(nalu, 1)) if (type === SEI_RECOVERY_POINT) return true
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
  }
  return false
}
