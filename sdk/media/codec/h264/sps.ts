import { BitReader } from '../../bits/bit-reader.ts'
import { removeEmulationPrevention } from '../../bits/emulation-prevention.ts'
import { MalformedError } from '../../errors.ts'
import { H264_NALU_TYPE, h264NaluType } from './nalu-type.ts'
import { readVui } from './vui.ts'

/** Level 6.2 allows sqrt(8 * 139264) macroblocks a side (ISO/IEC 14496-10 A.3.1). */
const MAX_H264_MACROBLOCKS_PER_SIDE = 1055

/** A sequence parameter set (ISO/IEC 14496-10 7.3.2.1): the fields that are needed outside a decoder. */
export type H264Sps = {
  readonly profileIdc: number
  /** The byte of constraint_set0_flag (most significant) to constraint_set5_flag and two zero bits. */
  readonly constraintFlags: number
  /** Ten times the level, for example 31 for level 3.1. */
  readonly levelIdc: number
  readonly id: number
  /** 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4. */
  readonly chromaFormatIdc: number
  readonly bitDepthLuma: number
  readonly bitDepthChroma: number
  /** The sizes in bits of two fields of slice headers; the second is 0 where they do not have it. */
  readonly log2MaxFrameNum: number
  readonly log2MaxPicOrderCntLsb: number
  /** 2 means that output order is decoding order. */
  readonly picOrderCntType: number
  /** True when there are no pictures of single fields. */
  readonly frameMbsOnly: boolean
  /** True when the planes of 4:4:4 are coded apart. */
  readonly separatePlanes: boolean
  /** Size after cropping, in pixels. */
  readonly width: number
  readonly height: number
  /** Frames a second; undefined where the stream does not say. */
  readonly fps: number | undefined
  /** The number of frames that can come before one that is shown earlier; undefined where the stream does not say. */
  readonly maxNumReorderFrames: number | undefined
}

// The profiles with the chroma format and bit depths in their SPS (7.3.2.1.1).
const PROFILES_WITH_CHROMA = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244])
// Samples of luma for one of chroma, by chroma_format_idc (table 6-1).
const SUB_WIDTH = [1, 2, 2, 1] as const
const SUB_HEIGHT = [1, 2, 1, 1] as const

/**
 * Parses a NAL unit of type 7, with its header byte and emulation prevention.
 * @throws {MalformedError} when it is another type, ends early or has a value that the standard forbids.
 */
export function parseH264Sps(nalu: Buffer): H264Sps {
  if (h264NaluType(nalu) !== H264_NALU_TYPE.SPS)
    throw new MalformedError(`NAL unit of type ${h264NaluType(nalu)}, not SPS`)
  const bits = new BitReader(removeEmulationPrevention(nalu))
  bits.skipBits(8)
  const profileIdc = bits.readBits(8)
  const constraintFlags = bits.readBits(8)
  const levelIdc = bits.readBits(8)
  const id = bits.readUe(31)
  const chroma = PROFILES_WITH_CHROMA.has(profileIdc) ? readChroma(bits) : CHROMA_420
  const log2MaxFrameNum = 4 + bits.readUe(12)
  const order = readPicOrderCnt(bits)
  bits.readUe(16) // max_num_ref_frames
  bits.skipBits(1) // gaps_in_frame_num_value_allowed_flag
  const size = readSize(bits, chroma.separatePlanes ? 0 : chroma.chromaFormatIdc)
  const vui = bits.readFlag() ? readVui(bits) : undefined
  return {
    profileIdc,
    constraintFlags,
    levelIdc,
    id,
    chromaFormatIdc: chroma.chromaFormatIdc,
    bitDepthLuma: chroma.bitDepthLuma,
    bitDepthChroma: chroma.bitDepthChroma,
    log2MaxFrameNum,
    ...order,
    separatePlanes: chroma.separatePlanes,
    ...size,
    fps: vui?.fps,
    maxNumReorderFrames: vui?.maxNumReorderFrames,
  }
}

type Chroma = Pick<H264Sps, 'chromaFormatIdc' | 'bitDepthLuma' | 'bitDepthChroma'> & {
  readonly separatePlanes: boolean
}

const CHROMA_420: Chroma = { chromaFormatIdc: 1, separatePlanes: false, bitDepthLuma: 8, bitDepthChroma: 8 }

function readChroma(bits: BitReader): Chroma {
  const chromaFormatIdc = bits.readUe(3)
  const separatePlanes = chromaFormatIdc === 3 && bits.readFlag()
  const bitDepthLuma = 8 + bits.readUe(6)
  const bitDepthChroma = 8 + bits.readUe(6)
  bits.skipBits(1) // qpprime_y_zero_transform_bypass_flag
  if (bits.readFlag()) skipScalingLists(bits, chromaFormatIdc === 3 ? 12 : 8)
  return { chromaFormatIdc, separatePlanes, bitDepthLuma, bitDepthChroma }
}

// 7.3.2.1.1.1: a list ends early once its next scale comes to 0.
function skipScalingLists(bits: BitReader, count: number): void {
  for (let list = 0; list < count; list++) {
    if (!bits.readFlag()) continue
    let scale = 8
    for (let left = list < 6 ? 16 : 64; left > 0 && scale !== 0; left--) scale = (scale + bits.readSe()) & 0xff
  }
}

function readPicOrderCnt(bits: BitReader): Pick<H264Sps, 'picOrderCntType' | 'log2MaxPicOrderCntLsb'> {
  const type = bits.readUe(2)
  const log2MaxPicOrderCntLsb = type === 0 ? 4 + bits.readUe(12) : 0
  if (type === 1) {
    bits.skipBits(1) // delta_pic_order_always_zero_flag
    bits.readSe() // offset_for_non_ref_pic
    bits.readSe() // offset_for_top_to_bottom_field
    for (let left = bits.readUe(255); left > 0; left--) bits.readSe()
  }
  return { picOrderCntType: type, log2MaxPicOrderCntLsb }
}

function readSize(bits: BitReader, chromaArrayType: number): Pick<H264Sps, 'frameMbsOnly' | 'width' | 'height'> {
  const codedWidth = 16 * (1 + bits.readUe(MAX_H264_MACROBLOCKS_PER_SIDE - 1))
  const mapUnits = 1 + bits.readUe(MAX_H264_MACROBLOCKS_PER_SIDE - 1)
  const frameMbsOnly = bits.readFlag()
  const fieldFactor = frameMbsOnly ? 1 : 2
  if (fieldFactor === 2) bits.skipBits(1) // mb_adaptive_frame_field_flag
  bits.skipBits(1) // direct_8x8_inference_flag
  const codedHeight = 16 * mapUnits * fieldFactor
  if (!bits.readFlag()) return { frameMbsOnly, width: codedWidth, height: codedHeight }
  const left = bits.readUe()
  const right = bits.readUe()
  const top = bits.readUe()
  const bottom = bits.readUe()
  const width = codedWidth - (left + right) * SUB_WIDTH[chromaArrayType]!
  const height = codedHeight - (top + bottom) * SUB_HEIGHT[chromaArrayType]! * fieldFactor
  if (width <= 0 || height <= 0)
    throw new MalformedError(`SPS crops ${codedWidth}x${codedHeight} to ${width}x${height}`)
  return { frameMbsOnly, width, height }
}
