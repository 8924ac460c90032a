import type { AccessUnit } from '../../access-unit.ts'
import type { Track } from '../../track.ts'
import { serializeFragment, type TrackSamples } from './fragment.ts'
import { SAMPLE_FLAGS } from './boxes/track-run.ts'
import { TrackFragmentWriter } from './track-fragment-writer.ts'

/** A movie fragment: `moof` and `mdat`. */
export type Fragment = {
  readonly data: Buffer
  /** Decoding time of the first sample of video or, without, of the first audio in it. */
  readonly startSeconds: number
  /** Sum of the durations of the samples of that track. */
  readonly durationSeconds: number
  /** A decoder can start here: it begins with a keyframe, or the stream has audio alone. */
  readonly independent: boolean
}

/**
 * Collects units of one or more tracks and makes fragments of them, of any length down to one frame. They belong to
 * the init segment of the same tracks; a changed configuration needs another init segment and another writer.
 *
 * See {@link TrackFragmentWriter} for the times that units get.
 */
export class FragmentWriter {
  /** The writers by the id of the track. */
  readonly #tracks = new Map<number, TrackFragmentWriter>()
  /** The track that fragments are cut by: video, or else the first. */
  readonly #main: Track | undefined
  #sequenceNumber = 0

  /** @throws {RangeError} for a track that `canCarryInFmp4` refuses. */
  constructor(tracks: readonly Track[]) {
    for (const track of tracks) this.#tracks.set(track.id, new TrackFragmentWriter(track))
    this.#main = tracks.find(({ kind }) => kind === 'video') ?? tracks[0]
  }

  /**
   * Takes a unit into the next fragment.
   * @throws {RangeError} for a unit of another track.
   * @throws {MalformedError} when it is of H.26x and cannot be cut into NAL units.
   */
  write(unit: AccessUnit): void {
    const writer = this.#tracks.get(unit.track.id)
    if (!writer) throw new RangeError(`fMP4 was not begun with this track of ${unit.track.codec}`)
    writer.write(unit)
  }

  /**
   * Makes a fragment of the units written since the last.
   * @param next The unit that comes next, if any: the last sample of its track ends where it begins. Beside pictures, the
   *   last sample of sound is then left to the next fragment, and ends where its successor begins: at a gap between them,
   *   players would show no pictures until the next keyframe (MSE, coded frame processing). Without a next unit, a picture
   *   lasts one step of the pace so far.
   * @returns null when there is nothing to take.
   * @throws {RangeError} when a time is below 0.
   */
  flush(next?: AccessUnit): Fragment | null {
    const taken = [...this.#tracks].flatMap(([trackId, writer]) => this.#take(trackId, writer, next) ?? [])
    const main = taken.find(({ kind }) => kind === 'video') ?? taken[0]
    if (!main) return null
    this.#sequenceNumber += 1
    const { kind, baseDts, samples, timescale } = main
    return {
      data: serializeFragment(this.#sequenceNumber, taken),
      startSeconds: baseDts / timescale,
      durationSeconds: samples.reduce((sum, { durationTicks }) => sum + durationTicks, 0) / timescale,
      independent: this.#main?.kind === 'audio' || (kind === 'video' && samples[0]!.flags === SAMPLE_FLAGS.sync),
    }
  }

  #take(trackId: number, writer: TrackFragmentWriter, next: AccessUnit | undefined): TrackSamples | undefined {
    if (next?.track.id === trackId) return writer.take(next)
    return next !== undefined && trackId !== this.#main?.id ? writer.takeAllButLast() : writer.take()
  }
}
