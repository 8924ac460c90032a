import { BitWriter } from 'sluice/sdk/media'
import { NALU_HEADER, serializeNalu } from './nal-unit.ts'

const BASELINE = 66
/** constraint_set0_flag and constraint_set1_flag: Constrained Baseline. */
const CONSTRAINED = 0xc0
/** Enough for 1620 macroblocks, 40,500 a second. */
const LEVEL_3 = 30
const UNSPECIFIED_FORMAT = 5
const BT709 = 1

/** Bits of frame_num in slice headers. */
export const FRAME_NUM_BITS = 4
/** Quantiser of all pictures: with it a luma level is worth half a step of a sample, a chroma level one. */
const QP = 22

export type PictureFormat = {
  /** Shown size in pixels; even. */
  readonly width: number
  readonly height: number
  readonly fps: number
}

/** The number of macroblocks that cover `pixels`. */
export function macroblocksFor(pixels: number): number {
  return Math.ceil(pixels / 16)
}

/** The sequence parameter set (ISO/IEC 14496-10 7.3.2.1.1): Constrained Baseline, one reference, no reordering. */
export function serializeSps({ width, height, fps }: PictureFormat): Buffer {
  const writer = new BitWriter()
  for (const byte of [BASELINE, CONSTRAINED, LEVEL_3]) writer.writeBits(byte, 8)
  writer.writeUe(0)
  writer.writeUe(FRAME_NUM_BITS - 4)
  // pic_order_cnt_type: output order is decoding order.
  writer.writeUe(2)
  writer.writeUe(1)
  writer.writeFlag(false)
  writer.writeUe(macroblocksFor(width) - 1)
  writer.writeUe(macroblocksFor(height) - 1)
  // frame_mbs_only_flag, direct_8x8_inference_flag, frame_cropping_flag.
  writer.writeBits(0b111, 3)
  const cropped = [0, (macroblocksFor(width) * 16 - width) / 2, 0, (macroblocksFor(height) * 16 - height) / 2]
  for (const pairs of cropped) writer.writeUe(pairs)
  writeVui(writer, fps)
  return serializeNalu(NALU_HEADER.sps, writer)
}

/** The picture parameter set (ISO/IEC 14496-10 7.3.2.2): CAVLC, slices contain the control of the deblocking filter. */
export function serializePps(): Buffer {
  const writer = new BitWriter()
  writer.writeUe(0)
  writer.writeUe(0)
  writer.writeBits(0, 2)
  // Slice groups and default numbers of references, each less 1.
  for (let field = 0; field < 3; field++) writer.writeUe(0)
  writer.writeBits(0, 3)
  writer.writeSe(QP - 26)
  writer.writeSe(0)
  writer.writeSe(0)
  // deblocking_filter_control_present_flag, constrained_intra_pred_flag, redundant_pic_cnt_present_flag.
  writer.writeBits(0b100, 3)
  return serializeNalu(NALU_HEADER.pps, writer)
}

// ISO/IEC 14496-10 E.1.1: colours and frame rate.
function writeVui(writer: BitWriter, fps: number): void {
  writer.writeFlag(true)
  writer.writeBits(0b00, 2)
  writer.writeFlag(true)
  writer.writeBits(UNSPECIFIED_FORMAT, 3)
  writer.writeBits(0b01, 2)
  for (let field = 0; field < 3; field++) writer.writeBits(BT709, 8)
  writer.writeFlag(false)
  // Times count fields, two in a frame.
  writer.writeFlag(true)
  writer.writeBits(1, 32)
  writer.writeBits(2 * fps, 32)
  writer.writeFlag(true)
  writer.writeBits(0b0000, 4)
}
