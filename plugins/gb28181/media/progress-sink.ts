import type { UnitSink } from 'sluice/sdk'
import { PES_TIMESCALE, type AccessUnit, type Track, type TrackInit } from 'sluice/sdk/media'

/** A step of a stream's time that is none: it begins anew. */
const MAX_STEP_MS = 10_000

/** Passes media on, and counts how much time of it has come. */
export class ProgressSink implements UnitSink {
  readonly #sink: UnitSink
  #lastDts: number | undefined
  #elapsedTicks = 0

  constructor(sink: UnitSink) {
    this.#sink = sink
  }

  /** The time of the media so far, in milliseconds. */
  get elapsedMs(): number {
    return (this.#elapsedTicks / PES_TIMESCALE) * 1000
  }

  addTrack(init: TrackInit): Track {
    return this.#sink.addTrack(init)
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    return this.#sink.configureTrack(track, config)
  }

  removeTrack(track: Track): void {
    this.#sink.removeTrack(track)
  }

  lost(track: Track, count: number): void {
    this.#sink.lost(track, count)
  }

  write(unit: AccessUnit): void {
    const step = this.#lastDts === undefined ? 0 : unit.dts - this.#lastDts
    // Tracks interleave, so that small steps go back, too; what is far away is another beginning.
    if (Math.abs(step) < (MAX_STEP_MS / 1000) * PES_TIMESCALE) this.#elapsedTicks += step
    this.#lastDts = unit.dts
    this.#sink.write(unit)
  }
}
