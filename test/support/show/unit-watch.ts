import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk/media'
import { silenceAfter } from '../../../sdk/media/container/fmp4/live/silence.ts'
import type { ShowName, ShowPlace, ShowSource, ShowUnits } from './show-source.ts'

const MAX_PROBLEMS = 5

export type UnitWatchOptions = {
  readonly units: ShowUnits
  /** Pictures may be missing, as by UDP or while a source is away; times that stood still may be the same in milliseconds. */
  readonly lossy?: boolean
  /** Sound comes by itself, so that it may be switched before or after the pictures. */
  readonly apart?: boolean
  /** Silence stands for sound that the source does not have, as in fragmented MP4. */
  readonly filled?: boolean
}

const NO_DATA = Buffer.alloc(0)

/** Takes what a viewer gets of a show, and notes what is wrong with it. */
export class UnitWatch implements UnitSink {
  readonly problems: string[] = []
  /** The sources of the pictures that came, one after the other. */
  readonly shown: ShowName[] = []
  /** How many pictures, and packets of sound, came in all. */
  readonly counts = { video: 0, audio: 0, data: 0 }
  readonly #options: UnitWatchOptions
  readonly #dtsMs = { video: -Infinity, audio: -Infinity, data: -Infinity }
  #tracks = 0
  #source: ShowSource | undefined
  #index = 0
  #lastPtsMs = -Infinity
  #keyPtsMs = -Infinity

  constructor(options: UnitWatchOptions) {
    this.#options = options
  }

  /** What is shown at present. */
  get showing(): ShowName | undefined {
    return this.#source?.name
  }

  addTrack(init: TrackInit): Track {
    return { ...init, id: this.#tracks++ }
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    return { ...track, config }
  }

  removeTrack(): void {}

  lost(track: Track, count: number): void {
    if (this.#options.lossy !== true) this.note(`${count} of ${track.kind} lost`)
  }

  write(unit: AccessUnit): void {
    const { kind } = unit.track
    this.counts[kind] += 1
    const places = this.#options.units.find(unit)
    if (this.#options.filled === true && unit.data.equals(silenceAfter(NO_DATA, unit.track)))
      return this.#checkTime(unit)
    if (places.length === 0) return this.note(`a unit of ${kind} with ${unit.data.length} bytes is of no source`)
    if (!places.some(({ source }) => source.fits(unit.track))) {
      this.note(`${kind} of ${places[0]!.source.name} came as ${unit.track.codec} ${JSON.stringify(unit.track.config)}`)
    }
    this.#checkTime(unit)
    if (kind === 'video') this.#picture(unit, places)
    else this.#sound(places)
  }

  note(problem: string): void {
    const { length } = this.shown
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(`after ${length} changes: ${problem}`)
  }

  #isOnward(timeMs: number, beforeMs: number): boolean {
    return timeMs > beforeMs || (timeMs === beforeMs && this.#options.lossy === true)
  }

  #checkTime({ track: { kind, timescale }, dts, pts }: AccessUnit): void {
    const dtsMs = (dts * 1000) / timescale
    const ptsMs = (pts * 1000) / timescale
    if (!this.#isOnward(dtsMs, this.#dtsMs[kind])) this.note(`${kind} at ${dtsMs} ms after ${this.#dtsMs[kind]} ms`)
    if (!(ptsMs >= dtsMs)) this.note(`${kind} to be shown at ${ptsMs} ms and decoded at ${dtsMs} ms`)
    this.#dtsMs[kind] = dtsMs
  }

  #picture({ keyframe, pts, track }: AccessUnit, places: readonly ShowPlace[]): void {
    const { source, index, ...known } = places.find((place) => place.source === this.#source) ?? places[0]!
    const ptsMs = (pts * 1000) / track.timescale
    if (known.keyframe !== keyframe) this.note(`picture ${index} of ${source.name} is a keyframe: ${keyframe}`)
    if (source !== this.#source) {
      if (!keyframe) this.note(`picture ${index} of ${source.name} comes first, and is no keyframe`)
      this.shown.push(source.name)
      this.#source = source
    } else if (this.#options.lossy !== true && index !== (this.#index + 1) % source.pictures) {
      this.note(`picture ${index} of ${source.name} follows ${this.#index}`)
    }
    this.#index = index
    // Pictures are shown out of order within a group alone.
    if (keyframe && !this.#isOnward(ptsMs, this.#lastPtsMs))
      this.note(`a keyframe for ${ptsMs} ms after ${this.#lastPtsMs} ms`)
    if (!keyframe && ptsMs < this.#keyPtsMs)
      this.note(`a picture for ${ptsMs} ms after a keyframe for ${this.#keyPtsMs} ms`)
    if (keyframe) this.#keyPtsMs = ptsMs
    this.#lastPtsMs = Math.max(this.#lastPtsMs, ptsMs)
  }

  #sound(places: readonly ShowPlace[]): void {
    if (this.#options.apart === true || this.#source === undefined) return
    if (places.some(({ source }) => source === this.#source)) return
    this.note(`sound of ${places[0]!.source.name} with pictures of ${this.#source.name}`)
  }
}
