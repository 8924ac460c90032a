import type { BitReader } from '../../bits/bit-reader.ts'

const EXTENDED_SAR = 255

/** Reads vui_parameters() (ISO/IEC 23008-2 E.2.1) up to the timing and gives frames a second, if they are told. */
export function readVuiFps(bits: BitReader): number | undefined {
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
  bits.skipBits(3) // neutral_chroma_indication_flag, field_seq_flag, frame_field_info_present_flag
  if (bits.readFlag()) for (let left = 4; left > 0; left--) bits.readUe() // default display window
  if (!bits.readFlag()) return undefined
  const unitsInTick = bits.readBits(32)
  const timeScale = bits.readBits(32)
  return unitsInTick > 0 && timeScale > 0 ? timeScale / unitsInTick : undefined
}
