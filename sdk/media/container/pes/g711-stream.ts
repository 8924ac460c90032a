import { g711Config } from '../../codec/g711/config.ts'
import { AudioTrackWriter } from './audio-track.ts'
import { modulo, PES_CLOCK_RANGE, PES_TIMESCALE } from './clock.ts'
import type { ElementaryStream, ElementaryStreamOptions } from './elementary-stream.ts'

/** The format of G.711, which the stream does not state. */
export const PES_G711_SAMPLE_RATE = 8000
export const PES_G711_CHANNELS = 1

/** The most that sound may be from the pictures that come with it, in ticks: farther sound has a wrong time. */
const MAX_APART = PES_TIMESCALE

/** The weight of stated times of G.711, from devices that state when they came to send, or jump. */
export type G711Timing = {
  /** The ticks by which stated times may be off those that the samples show, which count then. */
  readonly maxJitter: number
  /** Returns the time of the latest picture: where the samples are near it, and a stated time is not, the samples count. */
  readonly pictureTime: () => number | undefined
}

const AS_STATED: G711Timing = { maxJitter: 0, pictureTime: () => undefined }

/** A stream of G.711, which has no frames: each PES packet is a unit. */
export class G711Stream implements ElementaryStream {
  readonly #codec: 'pcma' | 'pcmu'
  readonly #track: AudioTrackWriter
  readonly #timing: G711Timing
  /** The time of the next unit by the samples so far; undefined where it is not known. */
  #expected: number | undefined

  /** @param timing default: times are as they are stated */
  constructor(codec: 'pcma' | 'pcmu', options: ElementaryStreamOptions, timing = AS_STATED) {
    this.#codec = codec
    this.#timing = timing
    this.#track = new AudioTrackWriter(codec, options)
  }

  write(data: Buffer, pts: number | undefined): void {
    if (pts !== undefined && !this.#goesOnAt(pts)) {
      this.#track.moveTo(pts)
      this.#expected = pts
    }
    if (data.length === 0) return
    this.#track.configure(this.#codec, () => g711Config(this.#codec, PES_G711_SAMPLE_RATE, PES_G711_CHANNELS))
    this.#track.write(data, data.length, PES_G711_SAMPLE_RATE)
    if (this.#expected !== undefined) this.#expected += (data.length * PES_TIMESCALE) / PES_G711_SAMPLE_RATE
  }

  interrupt(): void {
    this.#track.loseTime()
    this.#expected = undefined
  }

  lost(): void {
    this.#track.lost()
  }

  end(): void {
    this.#track.end()
  }

  /** True where the samples so far show the time of the next ones better than a stated time does. */
  #goesOnAt(pts: number): boolean {
    const { maxJitter, pictureTime } = this.#timing
    if (this.#expected === undefined) return false
    if (distance(pts, this.#expected) <= maxJitter) return true
    const picture = pictureTime()
    return picture !== undefined && distance(pts, picture) > MAX_APART && distance(this.#expected, picture) <= MAX_APART
  }
}

function distance(one: number, other: number): number {
  const ahead = modulo(one - other, PES_CLOCK_RANGE)
  return Math.min(ahead, PES_CLOCK_RANGE - ahead)
}
