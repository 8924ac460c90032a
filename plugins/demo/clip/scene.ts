import { Canvas, type Colour } from './canvas.ts'
import { dotsOf } from './font.ts'

/** A moment of the clip. */
type Moment = {
  /** The number of the frame since the start of the clip, and of all frames in one turn. */
  readonly frame: number
  readonly frames: number
  readonly fps: number
}

/** Positions in cells of 4 pixels, of which the picture has 160 by 90; those of still parts are multiples of macroblocks. */
const TITLE = { x: 9, y: 4, scale: 4 } as const
const TIME_CODE = { x: 9, y: 36, scale: 3 } as const
const SURFACE = { y: 64, height: 2.5, lengthCells: 80, turns: 8 } as const
const BUOY = { radius: 5, above: 2 } as const
const BARS_Y = 76

const SKY_TOP: Colour = [18, 32, 60]
const SKY_BOTTOM: Colour = [58, 104, 150]
const WATER: Colour = [24, 130, 168]
const FOAM: Colour = [176, 226, 236]
const WHITE: Colour = [240, 244, 250]
const BUOY_COLOUR: Colour = [240, 132, 44]
const BARS: readonly Colour[] = [
  [235, 235, 235],
  [191, 191, 0],
  [0, 191, 191],
  [0, 191, 0],
  [191, 0, 191],
  [191, 0, 0],
  [0, 0, 191],
  [16, 16, 16],
]

/** The test picture; its still parts are drawn once. */
export class Scene {
  readonly #still: Canvas

  constructor(width: number, height: number) {
    this.#still = new Canvas(width, height)
    for (let y = 0; y < height; y++) {
      // The colours change in steps of a macroblock, which makes keyframes small.
      const share = (Math.floor(y / 4) * 4) / BARS_Y
      this.#still.fill(0, y, width, 1, mix(SKY_TOP, SKY_BOTTOM, share))
    }
    const barWidth = width / BARS.length
    for (const [index, colour] of BARS.entries()) {
      this.#still.fill(index * barWidth, BARS_Y, barWidth, height - BARS_Y, colour)
    }
    drawText(this.#still, 'SLUICE', TITLE)
  }

  draw(canvas: Canvas, moment: Moment): void {
    canvas.copyFrom(this.#still)
    const turn = moment.frame / moment.frames
    drawText(canvas, timeCode(moment), TIME_CODE)
    drawBuoy(canvas, turn)
    drawWater(canvas, turn)
  }
}

/** The time as minutes, seconds and frames. */
function timeCode({ frame, fps }: Moment): string {
  const seconds = Math.floor(frame / fps)
  const fields = [Math.floor(seconds / 60), seconds % 60, frame % fps]
  return fields.map((field) => String(field).padStart(2, '0')).join(':')
}

function drawText(canvas: Canvas, text: string, at: { x: number; y: number; scale: number }): void {
  for (const dot of dotsOf(text)) {
    canvas.fill(at.x + dot.x * at.scale, at.y + dot.y * at.scale, at.scale, at.scale, WHITE)
  }
}

/** The height of the water at a column; `turn` goes from 0 to 1 in one turn of the clip. */
function surfaceAt(x: number, turn: number): number {
  const phase = (x / SURFACE.lengthCells - turn * SURFACE.turns) * 2 * Math.PI
  return SURFACE.y + Math.sin(phase) * SURFACE.height
}

function drawWater(canvas: Canvas, turn: number): void {
  for (let x = 0; x < canvas.width; x++) {
    const surface = surfaceAt(x + 0.5, turn)
    for (let y = Math.floor(surface); y < BARS_Y; y++) {
      const cover = y + 1 - surface
      canvas.blend(x, y, cover < 2 ? FOAM : WATER, cover)
    }
  }
}

/** A ball that swims from left to right, and starts again with the clip. */
function drawBuoy(canvas: Canvas, turn: number): void {
  const x = turn * (canvas.width + 2 * BUOY.radius) - BUOY.radius
  const y = surfaceAt(x, turn) - BUOY.above
  for (let row = Math.floor(y - BUOY.radius); row <= y + BUOY.radius; row++) {
    for (let column = Math.floor(x - BUOY.radius); column <= x + BUOY.radius; column++) {
      const distance = Math.hypot(column + 0.5 - x, row + 0.5 - y)
      canvas.blend(column, row, BUOY_COLOUR, BUOY.radius + 0.5 - distance)
    }
  }
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const [red, green, blue] = from
  return [red + (to[0] - red) * share, green + (to[1] - green) * share, blue + (to[2] - blue) * share]
}
