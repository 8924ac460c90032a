import { BitReader } from '../../bits/bit-reader.ts'
import { removeEmulationPrevention } from '../../bits/emulation-prevention.ts'
import { MalformedError } from '../../errors.ts'
import { H264_NALU_TYPE, h264NaluType } from './nalu-type.ts'
import type { H264Sps } from './sps.ts'

/** The start of a slice header (ISO/IEC 14496-10 7.3.3), up to where the picture stands in the order of output. */
export type H264SliceHeader = {
  readonly idr: boolean
  /** Other pictures may be predicted from this one. */
  readonly reference: boolean
  /** Modulo 2 to the power of `log2MaxFrameNum`. */
  readonly frameNum: number
  /** The picture is a single field. */
  readonly field: boolean
  /** Modulo 2 to the power of `log2MaxPicOrderCntLsb`; 0 where order counts are of another type than 0. */
  readonly picOrderCntLsb: number
}

/** More than the fields take: seven numbers of at most 63 bits. */
const MAX_HEADER_SIZE_BYTES = 64
const MAX_MACROBLOCKS = 139_264
const MAX_SLICE_TYPE = 9
const MAX_PPS_ID = 255
const MAX_IDR_PIC_ID = 65_535

/**
 * Parses the header of a slice, a NAL unit of type 1 or 5.
 * @param sps the active SPS of the slice
 * @throws {MalformedError} when it is another type, ends early or has a value that the standard forbids.
 */
export function parseH264SliceHeader(nalu: Buffer, sps: H264Sps): H264SliceHeader {
  const type = h264NaluType(nalu)
  const idr = type === H264_NALU_TYPE.IDR
  if (!idr && type !== H264_NALU_TYPE.SLICE) throw new MalformedError(`NAL unit of type ${type}, not a slice`)
  const bits = new BitReader(removeEmulationPrevention(nalu.subarray(0, MAX_HEADER_SIZE_BYTES)))
  bits.skipBits(1)
  const reference = bits.readBits(2) > 0
  bits.skipBits(5)
  bits.readUe(MAX_MACROBLOCKS - 1) // first_mb_in_slice
  bits.readUe(MAX_SLICE_TYPE)
  bits.readUe(MAX_PPS_ID)
  if (sps.separatePlanes) bits.skipBits(2) // colour_plane_id
  const frameNum = bits.readBits(sps.log2MaxFrameNum)
  const field = !sps.frameMbsOnly && bits.readFlag()
  if (field) bits.skipBits(1) // bottom_field_flag
  if (idr) bits.readUe(MAX_IDR_PIC_ID)
  const picOrderCntLsb = bits.readBits(sps.log2MaxPicOrderCntLsb)
  return { idr, reference, frameNum, field, picOrderCntLsb }
}
