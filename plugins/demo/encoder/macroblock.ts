import type { BitWriter } from 'sluice/sdk/media'
import { CHROMA_CELLS, LUMA_CELLS, type CellPicture, type Plane } from './cell-picture.ts'
import { writeResidual } from './residual.ts'

/** The positions of a 4x4 matrix in the zigzag scan (ISO/IEC 14496-10 8.5.6), row by row. */
const ZIGZAG = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15] as const
const HADAMARD_4 = [
  [1, 1, 1, 1],
  [1, 1, -1, -1],
  [1, -1, -1, 1],
  [1, -1, 1, -1],
] as const
const HADAMARD_2 = [
  [1, 1],
  [1, -1],
] as const

/** mb_type of Intra_16x16 with DC prediction and no AC coefficients, in an I slice; 4 more with chroma DC. */
const INTRA_16X16_DC = 3
const WITH_CHROMA_DC = 4
const MID_GREY = 128

/**
 * Writes one macroblock of `picture` as Intra_16x16 with only DC coefficients, so that each cell keeps one value, and writes the decoder's
 * result into `decoded`, which must contain the macroblocks decoded before. `typeOffset` is that of intra types in the slice.
 */
export function writeMacroblock(
  writer: BitWriter,
  picture: CellPicture,
  decoded: CellPicture,
  place: { readonly x: number; readonly y: number },
  typeOffset: number,
): void {
  const { x, y } = place
  const luma = codeLuma(picture.luma, decoded.luma, x, y)
  const cb = codeChroma(picture.cb, decoded.cb, x, y)
  const cr = codeChroma(picture.cr, decoded.cr, x, y)
  const hasChroma = [...cb, ...cr].some((level) => level !== 0)
  writer.writeUe(typeOffset + INTRA_16X16_DC + (hasChroma ? WITH_CHROMA_DC : 0))
  // intra_chroma_pred_mode DC, mb_qp_delta 0.
  writer.writeUe(0)
  writer.writeUe(0)
  writeResidual(writer, luma)
  if (!hasChroma) return
  writeResidual(writer, cb)
  writeResidual(writer, cr)
}

function codeLuma(picture: Plane, decoded: Plane, x: number, y: number): number[] {
  const left = x * LUMA_CELLS
  const top = y * LUMA_CELLS
  const predicted = predictLuma(decoded, left, top)
  const wanted = block(LUMA_CELLS, (column, row) => picture.at(left + column, top + row) - predicted)
  const levels = transform(wanted, HADAMARD_4).map((value) => Math.round(value / 8))
  const residual = transform(levels, HADAMARD_4)
  // The result of the decoder's scaling and inverse transform at this quantiser (8.5.10, 8.5.12).
  for (const [index, value] of residual.entries()) {
    decoded.set(left + (index % LUMA_CELLS), top + Math.floor(index / LUMA_CELLS), clip(predicted + ((value + 1) >> 1)))
  }
  return ZIGZAG.map((index) => levels[index] ?? 0)
}

/** Predicts luma DC (8.3.3.3): the mean of the samples above and to the left, if there are any. */
function predictLuma(decoded: Plane, left: number, top: number): number {
  const cells: number[] = []
  for (let step = 0; step < LUMA_CELLS; step++) {
    if (top > 0) cells.push(decoded.at(left + step, top - 1))
    if (left > 0) cells.push(decoded.at(left - 1, top + step))
  }
  return meanOf(cells)
}

function codeChroma(picture: Plane, decoded: Plane, x: number, y: number): number[] {
  const left = x * CHROMA_CELLS
  const top = y * CHROMA_CELLS
  const predicted = block(CHROMA_CELLS, (column, row) => predictChroma(decoded, left, top, column, row))
  const wanted = predicted.map(
    (value, index) => picture.at(left + (index % CHROMA_CELLS), top + Math.floor(index / CHROMA_CELLS)) - value,
  )
  const levels = transform(wanted, HADAMARD_2).map((value) => Math.round(value / 4))
  const residual = transform(levels, HADAMARD_2)
  for (const [index, value] of residual.entries()) {
    const place = [left + (index % CHROMA_CELLS), top + Math.floor(index / CHROMA_CELLS)] as const
    decoded.set(...place, clip((predicted[index] ?? 0) + value))
  }
  return levels
}

/** Predicts chroma DC (8.3.4.1–3): each cell from its own neighbours; off the diagonal from the nearer side alone, if there is one. */
function predictChroma(decoded: Plane, left: number, top: number, column: number, row: number): number {
  const above = top > 0 ? [decoded.at(left + column, top - 1)] : []
  const beside = left > 0 ? [decoded.at(left - 1, top + row)] : []
  if (column > row && above.length > 0) return meanOf(above)
  if (column < row && beside.length > 0) return meanOf(beside)
  return meanOf([...above, ...beside])
}

/** The rounded mean of cells, each standing for the same number of samples; mid-grey of none. */
function meanOf(cells: readonly number[]): number {
  if (cells.length === 0) return MID_GREY
  const sum = cells.reduce((total, cell) => total + cell, 0)
  return Math.floor(sum / cells.length + 0.5)
}

function block(size: number, valueAt: (column: number, row: number) => number): number[] {
  const values: number[] = []
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) values.push(valueAt(column, row))
  }
  return values
}

/** Hadamard transform of a square, row by row; its own inverse except for the number of cells as a factor. */
function transform(values: readonly number[], matrix: readonly (readonly number[])[]): number[] {
  const size = matrix.length
  const rows = block(size, (column, row) =>
    dot(size, (i) => (values[row * size + i] ?? 0) * (matrix[column]?.[i] ?? 0)),
  )
  return block(size, (column, row) => dot(size, (i) => (rows[i * size + column] ?? 0) * (matrix[row]?.[i] ?? 0)))
}

function dot(size: number, product: (index: number) => number): number {
  let sum = 0
  for (let index = 0; index < size; index++) sum += product(index)
  return sum
}

function clip(value: number): number {
  return Math.min(255, Math.max(0, value))
}
