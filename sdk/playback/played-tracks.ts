import type { Track } from '../media/track.ts'
import type { Publisher } from '../stream/publisher.ts'

/** Maps the tracks of a recording to those of the publisher that it is played into, which follow their changes. */
export class PlayedTracks {
  readonly #publisher: Pick<Publisher, 'addTrack' | 'configureTrack' | 'removeTrack'>
  /** The recording's tracks and their tracks in the publisher, by the id of the recording's track. */
  readonly #tracks = new Map<number, { from: Track; to: Track }>()

  constructor(publisher: Pick<Publisher, 'addTrack' | 'configureTrack' | 'removeTrack'>, tracks: readonly Track[]) {
    this.#publisher = publisher
    for (const from of tracks) this.#tracks.set(from.id, { from, to: publisher.addTrack(from) })
  }

  /**
   * Returns the publisher's track for one of the recording. A track that has changed is configured anew; a new one takes the
   * place of another of its kind and layer.
   */
  of(track: Track): Track {
    const known = this.#tracks.get(track.id)
    if (known === undefined) return this.#replace(track)
    if (known.from === track) return known.to
    known.from = track
    known.to = this.#publisher.configureTrack(known.to, track.config)
    return known.to
  }

  #replace(from: Track): Track {
    for (const [id, known] of this.#tracks) {
      if (known.from.kind !== from.kind || known.from.layer !== from.layer) continue
      this.#publisher.removeTrack(known.to)
      this.#tracks.delete(id)
    }
    const to = this.#publisher.addTrack(from)
    this.#tracks.set(from.id, { from, to })
    return to
  }
}
