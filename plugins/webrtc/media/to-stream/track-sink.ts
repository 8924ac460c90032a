import type { AccessUnit, Track, TrackInit, UnitSink } from 'sluice/sdk'

/** A sink for one track at a time, which knows its track in the stream. */
export interface TrackSink extends UnitSink {
  /** The track in the stream; undefined while there is none. */
  readonly track: Track | undefined
}

/** Adds the track of a media to a stream, with `layer` as its layer and group. */
export class MediaTrackSink implements TrackSink {
  readonly #sink: UnitSink
  readonly #names: { readonly layer?: string; readonly group?: string }
  #track: Track | undefined

  /** @param layer the name that distinguishes the track from others of its kind; undefined for the main one */
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
