import type { BitReader } from '../../bits/bit-reader.ts'
import { skipVuiDisplay } from '../vui.ts'

/** Reads vui_parameters() (ISO/IEC 23008-2 E.2.1) up to the timing, and returns frames a second, if it has them. */
export function readVuiFps(bits: BitReader): number | undefined {
  skipVuiDisplay(bits)
  bits.skipBits(3) // neutral_chroma_indication_flag, field_seq_flag, frame_field_info_present_flag
  if (bits.readFlag()) for (let left = 4; left > 0; left--) bits.readUe() // default display window
  if (!bits.readFlag()) return undefined
  const unitsInTick = bits.readBits(32)
  const timeScale = bits.readBits(32)
  return unitsInTick > 0 && timeScale > 0 ? timeScale / unitsInTick : undefined
}
