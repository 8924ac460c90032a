import type { AccessUnit } from '../../access-unit.ts'
import type { Track, TrackInit } from '../../track.ts'
import type { UnitSink } from '../../unit-sink.ts'

/** The sink and the limits of a {@link KeyframeRequester}. */
export type KeyframeRequesterInit = {
  /** Takes the units of the source. */
  readonly sink: UnitSink
  /** The time from one request to the next while one is needed, at least. */
  readonly minIntervalMs: number
  /** The age of the last keyframe at which a source is asked without need; 0 for any age. */
  readonly maxAgeMs: number
}

/**
 * Decides when to ask a source for a keyframe: as soon as one is needed, again as long as none comes, and without need where
 * the last one is old. It stands before the sink for units, in which it sees keyframes and lost pictures.
 */
export class KeyframeRequester implements UnitSink {
  readonly #sink: UnitSink
  readonly #minIntervalMs: number
  readonly #maxAgeMs: number
  #askedMs = -Infinity
  #keyframeMs: number | undefined
  /** A keyframe has come since the last look. */
  #hasCome = false
  #isNeeded = false

  constructor({ sink, minIntervalMs, maxAgeMs }: KeyframeRequesterInit) {
    this.#sink = sink
    this.#minIntervalMs = minIntervalMs
    this.#maxAgeMs = maxAgeMs
  }

  /** Notes that a keyframe is needed, for example as a subscriber has come. Lost pictures are noted without it. */
  need(): void {
    this.#isNeeded = true
  }

  /** Returns true when the source is to be asked now, and notes that it is asked. Call it after each packet, or often. */
  due(nowMs: number): boolean {
    if (this.#hasCome) this.#keyframeMs = nowMs
    this.#hasCome = false
    const waitMs = this.#isNeeded ? this.#minIntervalMs : this.#maxAgeMs
    if ((!this.#isNeeded && !this.#isOld(nowMs)) || nowMs - this.#askedMs < waitMs) return false
    this.#askedMs = nowMs
    return true
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

  write(unit: AccessUnit): void {
    if (unit.keyframe && unit.track.kind === 'video') {
      this.#hasCome = true
      this.#isNeeded = false
    }
    this.#sink.write(unit)
  }

  lost(track: Track, count: number): void {
    if (track.kind === 'video') this.#isNeeded = true
    this.#sink.lost(track, count)
  }

  #isOld(nowMs: number): boolean {
    return this.#maxAgeMs > 0 && this.#keyframeMs !== undefined && nowMs - this.#keyframeMs >= this.#maxAgeMs
  }
}
