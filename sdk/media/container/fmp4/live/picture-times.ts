/** Duration of the first picture, before there is a pace. */
const FIRST_PICTURE_MS = 40
const MIN_PICTURE_MS = 4
/** A longer step is a break of the stream, and is taken as it is. */
const MAX_STEP_MS = 10_000

/** Decoding time and duration of a picture, in ticks of its track. */
export type PictureTime = { readonly dts: number; readonly durationTicks: number }

/**
 * Decoding times and durations that players on Media Source Extensions go on with. A picture is sent before the next one
 * is known, so its duration is a guess: as long as the step that led to it. A player takes a step of more than two
 * durations for a break, and shows nothing until the next keyframe (MSE, coded frame processing). So where pictures
 * come late, decoding times go ahead in steps of less than that, and are right again after a few pictures. Presentation
 * times stay what they are.
 */
export class PictureTimes {
  readonly #minTicks: number
  readonly #maxStepTicks: number
  /** Decoding time of the last picture as it came. */
  #lastSourceDts: number | undefined
  /** Decoding time of the last picture as it was sent: the same, or earlier. */
  #lastDts = 0
  #durationTicks: number

  constructor(timescale: number) {
    const ticks = (timeMs: number) => Math.max(2, Math.ceil((timeMs * timescale) / 1000))
    this.#minTicks = ticks(MIN_PICTURE_MS)
    this.#maxStepTicks = ticks(MAX_STEP_MS)
    this.#durationTicks = ticks(FIRST_PICTURE_MS)
  }

  next(dts: number): PictureTime {
    const before = this.#durationTicks
    const last = this.#lastSourceDts
    this.#lastSourceDts = dts
    if (last === undefined || dts - last > this.#maxStepTicks) {
      this.#lastDts = dts
      return { dts, durationTicks: before }
    }
    const step = clamp(dts - this.#lastDts, 1, 2 * before - 1)
    this.#lastDts += step
    // A single pair that comes close together shows little of the pace.
    this.#durationTicks = clamp(step, Math.max(this.#minTicks, Math.ceil(before / 2)), this.#maxStepTicks)
    return { dts: this.#lastDts, durationTicks: this.#durationTicks }
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most)
}
