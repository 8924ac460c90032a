import type { BitReader } from '../../bits/bit-reader.ts'
import { MalformedError } from '../../errors.ts'

const MAX_SHORT_TERM_REF_PIC_SETS = 64
const MAX_LONG_TERM_REF_PICS = 32
const MAX_REF_PICS = 16

/** Skips the st_ref_pic_set()s of an SPS (ISO/IEC 23008-2 7.3.7); the length of each depends on those before it. */
export function skipShortTermRefPicSets(bits: BitReader): void {
  const count = bits.readUe(MAX_SHORT_TERM_REF_PIC_SETS)
  let pics = 0
  for (let index = 0; index < count; index++) {
    const predicted = index > 0 && bits.readFlag() // inter_ref_pic_set_prediction_flag
    pics = predicted ? readPredicted(bits, pics) : readExplicit(bits)
    if (pics > MAX_REF_PICS) throw new MalformedError(`reference picture set ${index} of ${pics} pictures`)
  }
}

/** Skips the candidates for long-term reference pictures of an SPS. */
export function skipLongTermRefPics(bits: BitReader, log2MaxPicOrderCntLsb: number): void {
  if (!bits.readFlag()) return
  const count = bits.readUe(MAX_LONG_TERM_REF_PICS)
  bits.skipBits(count * (log2MaxPicOrderCntLsb + 1))
}

function readPredicted(bits: BitReader, picsBefore: number): number {
  bits.skipBits(1) // delta_rps_sign
  bits.readUe(0x7fff) // abs_delta_rps_minus1
  let pics = 0
  for (let index = 0; index <= picsBefore; index++) {
    const used = bits.readFlag() // used_by_curr_pic_flag
    if (used || bits.readFlag()) pics += 1 // use_delta_flag
  }
  return pics
}

function readExplicit(bits: BitReader): number {
  const pics = bits.readUe(MAX_REF_PICS) + bits.readUe(MAX_REF_PICS)
  for (let left = pics; left > 0; left--) {
    bits.readUe(0x7fff) // delta_poc_minus1
    bits.skipBits(1) // used_by_curr_pic_flag
  }
  return pics
}
