import type { Track } from 'sluice/sdk'

/** The tracks of several files as the tracks of one recording: a track that continues in the next file keeps its id. */
export class PlaybackTracks {
  readonly #ids = new Map<string, number>()
  readonly #known = new WeakMap<Track, Track>()

  of(track: Track): Track {
    const known = this.#known.get(track)
    if (known !== undefined) return known
    const { kind, codec, timescale, layer = '', label = '', language = '' } = track
    const key = [kind, codec, timescale, layer, label, language].join('\n')
    const id = this.#ids.get(key) ?? this.#ids.size
    this.#ids.set(key, id)
    const own: Track = { ...track, id }
    this.#known.set(track, own)
    return own
  }
}
