import type { BitReader } from '../bits/bit-reader.ts'

const EXTENDED_SAR = 255

/**
 * Skips what vui_parameters() of H.264 and H.265 begin with alike (ISO/IEC 14496-10 E.1.1, ISO/IEC 23008-2 E.2.1):
 * aspect ratio, overscan, colours and the place of chroma samples.
 */
export function skipVuiDisplay(bits: BitReader): void {
  if (bits.readFlag() && bits.readBits(8) === EXTENDED_SAR) bits.skipBits(32) // sar_width, sar_height
  if (bits.readFlag()) bits.skipBits(1) // overscan_appropriate_flag
  if (bits.readFlag()) {
    bits.skipBits(4) // video_format, video_full_range_flag
    if (bits.readFlag()) bits.skipBits(24) // colour description
  }
  if (bits.readFlag()) {
    bits.readUe(5) // chroma_sample_loc_type_top_field
    bits.readUe(5) // chroma_sample_loc_type_bottom_field
  }
}
