import { BitReader } from '../../bits/bit-reader.ts'
import { removeEmulationPrevention } from '../../bits/emulation-prevention.ts'
import { MalformedError } from '../../errors.ts'
import { H265_NALU_TYPE, h265NaluType } from './nalu-type.ts'
import { readProfileTierLevel } from './profile-tier-level.ts'
import type { H265ProfileTierLevel } from './profile-tier-level.ts'
import { skipLongTermRefPics, skipShortTermRefPicSets } from './ref-pic-set.ts'
import { readVuiFps } from './vui.ts'

/** Level 6.2 allows at most 16888 samples a side (ISO/IEC 23008-2 A.4.1); later levels twice that. */
const MAX_H265_SIDE_PIXELS = 33_776

/** A sequence parameter set (ISO/IEC 23008-2 7.3.2.2): the fields that are needed outside a decoder. */
export type H265Sps = {
  readonly profileTierLevel: H265ProfileTierLevel
  readonly id: number
  /** Temporal sub-layers, 1 to 7. */
  readonly maxSubLayers: number
  readonly temporalIdNested: boolean
  /** 0 is monochrome, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4. */
  readonly chromaFormatIdc: number
  readonly bitDepthLuma: number
  readonly bitDepthChroma: number
  /** Size after the conformance window, in pixels. */
  readonly width: number
  readonly height: number
  /** The number of pictures that can come before one that is shown earlier, at the highest sub-layer. */
  readonly maxNumReorderPics: number
  /** Frames a second; undefined where the stream does not say. */
  readonly fps: number | undefined
}

const SUB_WIDTH = [1, 2, 2, 1] as const
const SUB_HEIGHT = [1, 2, 1, 1] as const
const MAX_DPB_SIZE = 16

/**
 * Parses a NAL unit of type 33 of the base layer, with its header and emulation prevention.
 * @throws {MalformedError} when it is another type, ends early or has a value that the standard forbids.
 */
export function parseH265Sps(nalu: Buffer): H265Sps {
  if (h265NaluType(nalu) !== H265_NALU_TYPE.SPS)
    throw new MalformedError(`NAL unit of type ${h265NaluType(nalu)}, not SPS`)
  const bits = new BitReader(removeEmulationPrevention(nalu))
  bits.skipBits(7)
  const layerId = bits.readBits(6)
  if (layerId !== 0) throw new MalformedError(`SPS of layer ${layerId}`)
  bits.skipBits(7) // nuh_temporal_id_plus1, sps_video_parameter_set_id
  const maxSubLayersMinus1 = bits.readBits(3)
  if (maxSubLayersMinus1 > 6) throw new MalformedError('SPS with 8 sub-layers')
  const temporalIdNested = bits.readFlag()
  const profileTierLevel = readProfileTierLevel(bits, maxSubLayersMinus1)
  const id = bits.readUe(15)
  const picture = readPictureFormat(bits)
  const log2MaxPicOrderCntLsb = 4 + bits.readUe(12)
  const maxNumReorderPics = readMaxNumReorderPics(bits, maxSubLayersMinus1)
  skipCodingTools(bits)
  skipShortTermRefPicSets(bits)
  skipLongTermRefPics(bits, log2MaxPicOrderCntLsb)
  bits.skipBits(2) // sps_temporal_mvp_enabled_flag, strong_intra_smoothing_enabled_flag
  const fps = bits.readFlag() ? readVuiFps(bits) : undefined
  const maxSubLayers = maxSubLayersMinus1 + 1
  return { profileTierLevel, id, maxSubLayers, temporalIdNested, ...picture, maxNumReorderPics, fps }
}

type PictureFormat = Pick<H265Sps, 'chromaFormatIdc' | 'bitDepthLuma' | 'bitDepthChroma' | 'width' | 'height'>

function readPictureFormat(bits: BitReader): PictureFormat {
  const chromaFormatIdc = bits.readUe(3)
  const separatePlanes = chromaFormatIdc === 3 && bits.readFlag()
  const codedWidth = bits.readUe(MAX_H265_SIDE_PIXELS)
  const codedHeight = bits.readUe(MAX_H265_SIDE_PIXELS)
  let width = codedWidth
  let height = codedHeight
  if (bits.readFlag()) {
    const chromaArrayType = separatePlanes ? 0 : chromaFormatIdc
    width -= (bits.readUe() + bits.readUe()) * SUB_WIDTH[chromaArrayType]!
    height -= (bits.readUe() + bits.readUe()) * SUB_HEIGHT[chromaArrayType]!
  }
  if (width <= 0 || height <= 0)
    throw new MalformedError(`SPS crops ${codedWidth}x${codedHeight} to ${width}x${height}`)
  return { chromaFormatIdc, bitDepthLuma: 8 + bits.readUe(8), bitDepthChroma: 8 + bits.readUe(8), width, height }
}

function readMaxNumReorderPics(bits: BitReader, maxSubLayersMinus1: number): number {
  let maxNumReorderPics = 0
  const first = bits.readFlag() ? 0 : maxSubLayersMinus1 // sps_sub_layer_ordering_info_present_flag
  for (let layer = first; layer <= maxSubLayersMinus1; layer++) {
    bits.readUe(MAX_DPB_SIZE) // sps_max_dec_pic_buffering_minus1
    maxNumReorderPics = bits.readUe(MAX_DPB_SIZE)
    bits.readUe() // sps_max_latency_increase_plus1
  }
  return maxNumReorderPics
}

function skipCodingTools(bits: BitReader): void {
  for (let left = 6; left > 0; left--) bits.readUe(32) // sizes of coding and transform blocks, depths of the trees
  if (bits.readFlag() && bits.readFlag()) skipScalingLists(bits)
  bits.skipBits(2) // amp_enabled_flag, sample_adaptive_offset_enabled_flag
  if (bits.readFlag()) {
    bits.skipBits(8) // pcm bit depths
    bits.readUe(32)
    bits.readUe(32)
    bits.skipBits(1)
  }
}

// 7.3.4: four sizes with six matrices each, but two of the largest.
function skipScalingLists(bits: BitReader): void {
  for (let size = 0; size < 4; size++) {
    const coefficients = Math.min(64, 16 << (2 * size))
    for (let matrix = 0; matrix < 6; matrix += size === 3 ? 3 : 1) {
      if (!bits.readFlag()) {
        bits.readUe(5) // scaling_list_pred_matrix_id_delta
        continue
      }
      if (size > 1) bits.readSe() // scaling_list_dc_coef_minus8
      for (let left = coefficients; left > 0; left--) bits.readSe()
    }
  }
}
