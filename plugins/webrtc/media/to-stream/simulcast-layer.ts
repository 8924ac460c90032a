import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk'
import type { TrackSink } from './track-sink.ts'

/** A layer without a picture for this long is paused: browsers send one every second of a screen without movement. */
export const LAYER_PAUSE_MS = 1500

/** The events and the clock of a layer, given by its {@link Simulcast}. */
export type LayerEvents = {
  /** Called before a keyframe is written, at which the layer may become the main one, or stop being it. */
  readonly keyframe: (layer: SimulcastLayer) => void
  readonly nowMs: () => number
}

/**
 * One layer of simulcast as a track of the stream: its label is the layer's identifier, and so is its `layer`, unless it
 * is the main one. When it becomes the main one or stops being it, the stream gets another track for it, at a keyframe.
 */
export class SimulcastLayer implements TrackSink {
  readonly rid: string
  readonly #sink: UnitSink
  readonly #name: string
  readonly #mainName: string | undefined
  readonly #events: LayerEvents
  /** The track as the receiver has it, and as the stream has it. */
  #own: Track | undefined
  #track: Track | undefined
  #isMain = false
  #writtenMs = -Infinity
  #resumedMs = -Infinity

  constructor(rid: string, sink: UnitSink, mainName: string | undefined, events: LayerEvents) {
    this.rid = rid
    this.#sink = sink
    this.#mainName = mainName
    this.#name = mainName === undefined ? rid : `${mainName}-${rid}`
    this.#events = events
  }

  get track(): Track | undefined {
    return this.#track
  }

  /** The number of pixels of its pictures. */
  get pixels(): number {
    return this.#own?.kind === 'video' ? this.#own.config.width * this.#own.config.height : 0
  }

  /** The time of its last picture. */
  get writtenMs(): number {
    return this.#writtenMs
  }

  /** The time since which pictures come without a pause. */
  get resumedMs(): number {
    return this.#resumedMs
  }

  /** Makes the layer the main one, or another one: the stream gets its new track with its next keyframe. */
  setMain(isMain: boolean): void {
    this.#isMain = isMain
    if (this.#track !== undefined) this.#sink.removeTrack(this.#track)
    this.#track = undefined
  }

  addTrack(init: TrackInit): Track {
    return (this.#own = { ...init, id: 0 })
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    const successor: Kind = { ...track, config }
    this.#own = successor
    if (this.#track !== undefined) this.#track = this.#sink.configureTrack(this.#track, config)
    return successor
  }

  removeTrack(): void {
    this.#own = undefined
    this.setMain(this.#isMain)
  }

  write(unit: AccessUnit): void {
    const nowMs = this.#events.nowMs()
    if (nowMs - this.#writtenMs >= LAYER_PAUSE_MS) this.#resumedMs = nowMs
    this.#writtenMs = nowMs
    if (unit.keyframe) this.#events.keyframe(this)
    if (this.#track === undefined) {
      if (!unit.keyframe || this.#own === undefined) return
      this.#track = this.#sink.addTrack(this.#named(this.#own))
    }
    this.#sink.write(unit.at(this.#track, unit.dts, unit.pts))
  }

  lost(_track: Track, count: number): void {
    if (this.#track !== undefined) this.#sink.lost(this.#track, count)
  }

  #named(track: Track): TrackInit {
    const { id: _, ...init } = track
    const group = this.#mainName
    const layer = this.#isMain ? group : this.#name
    return {
      ...init,
      label: this.rid,
      ...(layer !== undefined && { layer }),
      ...(group !== undefined && { group }),
    }
  }
}
