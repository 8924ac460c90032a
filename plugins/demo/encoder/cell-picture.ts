/** Cells in a macroblock's row or column. */
export const LUMA_CELLS = 4
export const CHROMA_CELLS = 2

/** One component of a picture, in cells: blocks of 4 by 4 samples of one value. */
export class Plane {
  readonly width: number
  readonly height: number
  readonly values: Uint8Array

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.values = new Uint8Array(width * height)
  }

  at(x: number, y: number): number {
    return this.values[y * this.width + x] ?? 0
  }

  set(x: number, y: number, value: number): void {
    this.values[y * this.width + x] = value
  }
}

/** A 4:2:0 picture in cells: one luma cell covers 4 by 4 pixels, a chroma cell 8 by 8. */
export class CellPicture {
  readonly widthMacroblocks: number
  readonly heightMacroblocks: number
  readonly luma: Plane
  readonly cb: Plane
  readonly cr: Plane

  constructor(widthMacroblocks: number, heightMacroblocks: number) {
    this.widthMacroblocks = widthMacroblocks
    this.heightMacroblocks = heightMacroblocks
    this.luma = new Plane(widthMacroblocks * LUMA_CELLS, heightMacroblocks * LUMA_CELLS)
    this.cb = new Plane(widthMacroblocks * CHROMA_CELLS, heightMacroblocks * CHROMA_CELLS)
    this.cr = new Plane(widthMacroblocks * CHROMA_CELLS, heightMacroblocks * CHROMA_CELLS)
  }

  copyFrom(other: CellPicture): void {
    this.luma.values.set(other.luma.values)
    this.cb.values.set(other.cb.values)
    this.cr.values.set(other.cr.values)
  }

  /** True when a macroblock is the same in another picture. */
  sameMacroblock(other: CellPicture, x: number, y: number): boolean {
    return (
      sameBlock(this.luma, other.luma, x, y, LUMA_CELLS) &&
      sameBlock(this.cb, other.cb, x, y, CHROMA_CELLS) &&
      sameBlock(this.cr, other.cr, x, y, CHROMA_CELLS)
    )
  }
}

function sameBlock(a: Plane, b: Plane, x: number, y: number, size: number): boolean {
  for (let row = y * size; row < (y + 1) * size; row++) {
    for (let column = x * size; column < (x + 1) * size; column++) {
      if (a.at(column, row) !== b.at(column, row)) return false
    }
  }
  return true
}
