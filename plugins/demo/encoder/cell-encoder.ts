import { BitWriter } from 'sluice/sdk/media'
import { CellPicture } from './cell-picture.ts'
import { writeMacroblock } from './macroblock.ts'
import { NALU_HEADER, serializeNalu } from './nal-unit.ts'
import { FRAME_NUM_BITS } from './parameter-sets.ts'

/** slice_type when all slices of the picture have that type. */
const SLICE_TYPE = { p: 5, i: 7 } as const
/** Intra types come after the five inter types in P slices. */
const INTRA_TYPE_OFFSET_P = 5
const NO_DEBLOCKING = 1

/**
 * A small H.264 encoder for pictures of cells: Constrained Baseline, one slice a picture. A keyframe codes every
 * macroblock; a picture between keyframes codes only those that changed, each from its neighbours, and skips the others.
 */
export class CellEncoder {
  /** The picture that a decoder shows after the latest one. */
  readonly decoded: CellPicture
  readonly #before: CellPicture
  #frameNum = 0

  constructor(widthMacroblocks: number, heightMacroblocks: number) {
    this.decoded = new CellPicture(widthMacroblocks, heightMacroblocks)
    this.#before = new CellPicture(widthMacroblocks, heightMacroblocks)
  }

  /** Encodes the next picture as one NAL unit. The first picture must be a keyframe. */
  encode(picture: CellPicture, keyframe: boolean): Buffer {
    this.#frameNum = keyframe ? 0 : (this.#frameNum + 1) % 2 ** FRAME_NUM_BITS
    const writer = new BitWriter()
    writeSliceHeader(writer, keyframe, this.#frameNum)
    if (keyframe) this.#writeAll(writer, picture)
    else this.#writeChanged(writer, picture)
    this.#before.copyFrom(picture)
    return serializeNalu(keyframe ? NALU_HEADER.idr : NALU_HEADER.slice, writer)
  }

  #writeAll(writer: BitWriter, picture: CellPicture): void {
    for (const place of placesOf(picture)) writeMacroblock(writer, picture, this.decoded, place, 0)
  }

  #writeChanged(writer: BitWriter, picture: CellPicture): void {
    let skipped = 0
    for (const place of placesOf(picture)) {
      if (picture.sameMacroblock(this.#before, place.x, place.y)) {
        skipped++
        continue
      }
      writer.writeUe(skipped)
      skipped = 0
      writeMacroblock(writer, picture, this.decoded, place, INTRA_TYPE_OFFSET_P)
    }
    if (skipped > 0) writer.writeUe(skipped)
  }
}

/** Writes the slice header (ISO/IEC 14496-10 7.3.3). */
function writeSliceHeader(writer: BitWriter, keyframe: boolean, frameNum: number): void {
  writer.writeUe(0)
  writer.writeUe(keyframe ? SLICE_TYPE.i : SLICE_TYPE.p)
  writer.writeUe(0)
  writer.writeBits(frameNum, FRAME_NUM_BITS)
  if (keyframe) {
    // idr_pic_id; then no_output_of_prior_pics_flag, long_term_reference_flag.
    writer.writeUe(0)
    writer.writeBits(0b00, 2)
  } else {
    // No override of the number of references, no modification of their list, no adaptive marking.
    writer.writeBits(0b000, 3)
  }
  writer.writeSe(0)
  writer.writeUe(NO_DEBLOCKING)
}

function* placesOf({ widthMacroblocks, heightMacroblocks }: CellPicture): Iterable<{ x: number; y: number }> {
  for (let y = 0; y < heightMacroblocks; y++) {
    for (let x = 0; x < widthMacroblocks; x++) yield { x, y }
  }
}
