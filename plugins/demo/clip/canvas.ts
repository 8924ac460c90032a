import type { CellPicture, Plane } from '../encoder/cell-picture.ts'

/** Red, green and blue, each from 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number]

/** A picture to draw on, one colour a luma cell. */
export class Canvas {
  readonly width: number
  readonly height: number
  readonly #channels: Float32Array

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#channels = new Float32Array(width * height * 3)
  }

  copyFrom(other: Canvas): void {
    this.#channels.set(other.#channels)
  }

  /** Lays a colour over a cell; `cover` is its share of the cell, from 0 to 1. */
  blend(x: number, y: number, colour: Colour, cover = 1): void {
    if (x < 0 || y < 0 || x >= this.width || y >= this.height || cover <= 0) return
    const at = (y * this.width + x) * 3
    const share = Math.min(1, cover)
    for (let channel = 0; channel < 3; channel++) {
      const below = this.#channels[at + channel] ?? 0
      this.#channels[at + channel] = below + ((colour[channel] ?? 0) - below) * share
    }
  }

  fill(x: number, y: number, width: number, height: number, colour: Colour): void {
    for (let row = y; row < y + height; row++) {
      for (let column = x; column < x + width; column++) this.blend(column, row, colour)
    }
  }

  /** Converts to limited-range Y'CbCr of BT.709; a chroma cell is the mean of its four luma cells. */
  toCells(picture: CellPicture): void {
    const { luma, cb, cr } = picture
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) luma.set(x, y, Math.round(16 + (this.#brightness(x, y) * 219) / 255))
    }
    this.#chroma(cb, 2, 1.8556)
    this.#chroma(cr, 0, 1.5748)
  }

  #brightness(x: number, y: number): number {
    const at = (y * this.width + x) * 3
    const channels = this.#channels
    return 0.2126 * (channels[at] ?? 0) + 0.7152 * (channels[at + 1] ?? 0) + 0.0722 * (channels[at + 2] ?? 0)
  }

  /** The chroma of a channel: its distance from the brightness; `scale` is the largest difference. */
  #chroma(plane: Plane, channel: number, scale: number): void {
    for (let y = 0; y < plane.height; y++) {
      for (let x = 0; x < plane.width; x++) {
        let sum = 0
        for (let part = 0; part < 4; part++) {
          const column = 2 * x + (part & 1)
          const row = 2 * y + (part >> 1)
          sum += (this.#channels[(row * this.width + column) * 3 + channel] ?? 0) - this.#brightness(column, row)
        }
        plane.set(x, y, Math.round(128 + (((sum / 4) * 224) / 255) * (1 / scale)))
      }
    }
  }
}
