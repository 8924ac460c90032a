import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk'

/** Takes one track at a time, and knows what became of it in the stream. */
export interface TrackOutlet extends UnitSink {
  /** The track as the stream has it; undefined while it has none. */
  readonly track: Track | undefined
}

/** Gives a stream the track of a media, named by its layer. */
export class MediaOutlet implements TrackOutlet {
  readonly #sink: UnitSink
  readonly #names: { readonly layer?: string; readonly group?: string }
  #track: Track | undefined

  /** @param layer what tells the track from others of its kind; undefined for the main one */
  constructor(sink: UnitSink, layer: string | undefined) {
    this.#sink = sink
    this.#names = layer === undefined ? {} : { layer, group: layer }
  }

  get track(): Track | undefined {
    return this.#track
  }

  addTrack(init: TrackInit): Track {
    this.#track = this.#sink.addTrack({ ...init, ...this.#names })
    return this.#track
  }

  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind {
    const successor = this.#sink.configureTrack(track, config)
    this.#track = successor
    return successor
  }

  removeTrack(track: Track): void {
    this.#track = undefined
    this.#sink.removeTrack(track)
  }

  write(unit: AccessUnit): void {
    this.#sink.write(unit)
  }

  lost(track: Track, count: number): void {
    this.#sink.lost(track, count)
  }
}
