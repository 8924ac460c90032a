import type { BitReader } from '../../bits/bit-reader.ts'
import { skipVuiDisplay } from '../vui.ts'

/** The part of the video usability information (ISO/IEC 14496-10 E.1.1) that matters outside a decoder. */
export type H264Vui = {
  readonly fps: number | undefined
  readonly maxNumReorderFrames: number | undefined
}

const MAX_CPB_COUNT = 32
const MAX_DPB_FRAMES = 16

/** Reads vui_parameters() of an SPS. */
export function readVui(bits: BitReader): H264Vui {
  skipVuiDisplay(bits)
  const fps = bits.readFlag() ? readFps(bits) : undefined
  const nalHrd = bits.readFlag()
  if (nalHrd) skipHrd(bits)
  const vclHrd = bits.readFlag()
  if (vclHrd) skipHrd(bits)
  if (nalHrd || vclHrd) bits.skipBits(1) // low_delay_hrd_flag
  bits.skipBits(1) // pic_struct_present_flag
  return { fps, maxNumReorderFrames: bits.readFlag() ? readMaxNumReorderFrames(bits) : undefined }
}

function readFps(bits: BitReader): number | undefined {
  const unitsInTick = bits.readBits(32)
  const timeScale = bits.readBits(32)
  bits.skipBits(1) // fixed_frame_rate_flag
  // A tick is the time of a field, of which a frame has two.
  return unitsInTick > 0 && timeScale > 0 ? timeScale / unitsInTick / 2 : undefined
}

function readMaxNumReorderFrames(bits: BitReader): number {
  bits.skipBits(1) // motion_vectors_over_pic_boundaries_flag
  bits.readUe(16) // max_bytes_per_pic_denom
  bits.readUe(16) // max_bits_per_mb_denom
  bits.readUe(32) // log2_max_mv_length_horizontal
  bits.readUe(32) // log2_max_mv_length_vertical
  return bits.readUe(MAX_DPB_FRAMES)
}

function skipHrd(bits: BitReader): void {
  const cpbCount = 1 + bits.readUe(MAX_CPB_COUNT - 1)
  bits.skipBits(8) // bit_rate_scale, cpb_size_scale
  for (let left = cpbCount; left > 0; left--) {
    bits.readUe() // bit_rate_value_minus1
    bits.readUe() // cpb_size_value_minus1
    bits.skipBits(1) // cbr_flag
  }
  bits.skipBits(20) // lengths of the delay fields
}
