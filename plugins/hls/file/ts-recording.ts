import type { AccessUnit, Recording, RecordingBytes, Track } from 'sluice/sdk'
import { mainTracks, MalformedError, PES_TIMESCALE } from 'sluice/sdk/media'
import { TsTimeline, type TsPoint, type TsZero } from './ts-timeline.ts'
import { TsTimes } from './ts-times.ts'
import { TsUnits } from './ts-units.ts'

/** The most bytes that are searched for the tracks. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024
/** The distance by which the search for a keyframe first steps back; it is doubled for each further step. */
const STEP_BACK_BYTES = 2 * 1024 * 1024
const TICKS_PER_MS = PES_TIMESCALE / 1000

/** Reads an MPEG-TS file. Its times are continuous where its counters start again or jump. */
export class TsRecording implements Recording {
  readonly tracks: readonly Track[]
  readonly #units: TsUnits
  readonly #timeline: TsTimeline
  readonly #times = new TsTimes()
  /** Units are left out up to the keyframe, or the audio, of this time. */
  #skipTo: number | undefined
  #main: Track

  private constructor(units: TsUnits, main: Track, timeline: TsTimeline) {
    this.tracks = [...units.tracks]
    this.#units = units
    this.#main = main
    this.#timeline = timeline
    this.#begin(timeline.start)
  }

  /**
   * Examines the beginning and the end of a file, and some places in between.
   * @param zero the meaning of time 0: the first picture is presented, or decoded
   * @throws {Error} with the defect of the file
   */
  static async open(bytes: RecordingBytes, zero: TsZero = 'presented'): Promise<TsRecording> {
    const units = new TsUnits(bytes)
    try {
      while (!units.hasAllTracks && units.offset < MAX_HEAD_BYTES) if (!(await units.fill())) break
      const [main] = mainTracks(units.tracks)
      if (main === undefined) throw new Error(nothingIn(units))
      return new TsRecording(units, main, await TsTimeline.read(units, bytes.sizeBytes, main, zero))
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error
      throw new Error(`the file is damaged, or no MPEG-TS: ${error.message}`, { cause: error })
    }
  }

  get durationMs(): number {
    return Math.ceil(this.#timeline.endTicks / TICKS_PER_MS)
  }

  /** The number of malformed units. */
  get dropped(): number {
    return this.#units.dropped
  }

  /** The streams that can't be carried, for example `stream type 0x11`. */
  get unsupported(): readonly string[] {
    return this.#units.unsupported
  }

  next(): AccessUnit | undefined | Promise<AccessUnit | undefined> {
    for (let unit = this.#units.take(); unit !== undefined; unit = this.#units.take()) {
      this.#times.place(unit)
      if (this.#takes(unit)) return unit
    }
    return this.#readOn()
  }

  async seek(positionMs: number): Promise<void> {
    const ticks = Math.floor(positionMs * TICKS_PER_MS)
    let point = await this.#timeline.find(ticks)
    for (let back = STEP_BACK_BYTES; ; back *= 2) {
      const keyframe = await this.#lastKeyframe(point, ticks)
      if (keyframe !== undefined || point.offset <= this.#timeline.start.offset) {
        this.#begin(point)
        this.#skipTo = keyframe
        return
      }
      point = await this.#timeline.at(point.offset - back)
    }
  }

  async #readOn(): Promise<AccessUnit | undefined> {
    return (await this.#units.fill()) ? this.next() : undefined
  }

  #begin({ offset, counter, ticks }: TsPoint): void {
    this.#units.moveTo(offset)
    this.#times.restart(counter, ticks)
    this.#skipTo = undefined
  }

  #takes({ track, dts }: AccessUnit): boolean {
    if (this.#skipTo === undefined) return true
    if (track.id !== this.#main.id || dts < this.#skipTo) return false
    this.#skipTo = undefined
    return true
  }

  /** The decoding time of the last keyframe that is presented up to a time, searched from a point on. */
  async #lastKeyframe(point: TsPoint, ticks: number): Promise<number | undefined> {
    this.#begin(point)
    let last: number | undefined
    for (;;) {
      const unit = await this.next()
      if (unit === undefined) return last
      if (unit.track.id !== this.#main.id) continue
      if (unit.keyframe && unit.pts <= ticks) last = unit.dts
      if (unit.dts > ticks) return last
    }
  }
}

function nothingIn({ unsupported }: TsUnits): string {
  const found = unsupported.length > 0 ? ` (${unsupported.join(', ')})` : ''
  return `the file has no media that can be carried${found}`
}
