import { serializeFragmentHead, type TrackFragment } from '../fmp4/fragment.ts'
import { serializeInitSegment } from '../fmp4/init-segment.ts'
import { dataSpansOf, type DataSpan } from './data-span.ts'
import { JoinedTracks, type JoinedSource, type PlacedFragment, type SourcePlacement } from './joined-tracks.ts'

/** A fragment of a joined file. */
export type JoinedFragment = {
  /** `moof` and the header of the `mdat`. */
  readonly head: Buffer
  /** The places of the content of the `mdat` in the source, in its order. */
  readonly spans: readonly DataSpan[]
}

/**
 * Makes one fragmented file of several: one init segment, and for each of their fragments one with its times moved, numbered
 * through, while the data of the samples stay where they are. Files follow each other as `JoinedTracks` puts them.
 *
 * A sample entry that a later file has otherwise is a further one in the init segment, which the fragments name (`tfhd`,
 * ISO/IEC 14496-12 8.8.7). Players of files know that; those that feed Media Source Extensions take one entry a track, and play
 * up to there.
 */
export class FragmentJoiner {
  readonly #joined = new JoinedTracks()
  #count = 0

  /** Begins the next file. */
  beginSource(source: JoinedSource): void {
    this.#joined.begin(source)
  }

  /** The placement of the file that was begun last; undefined as long as nothing of it was added. */
  get placement(): SourcePlacement | undefined {
    return this.#joined.placement
  }

  /**
   * Adds the next fragment of the file that was begun last, with a number 1 above that of the previous one.
   * @throws {MalformedError} when it has no time (`tfdt`).
   * @throws {MovieLimitError} for more than there is room for.
   */
  addFragment(fragments: readonly TrackFragment[]): JoinedFragment {
    this.#count += 1
    return joinedFragment(this.#joined.place(fragments), this.#count)
  }

  /** `ftyp` and `moov`, once all is added. */
  serializeInit(): Buffer {
    return serializeInitSegment(this.#joined.tracks)
  }
}

/**
 * A fragment as {@link FragmentJoiner} has made it, once more.
 * @param placement of its file
 */
export function joinFragment(
  placement: SourcePlacement,
  fragments: readonly TrackFragment[],
  sequenceNumber: number,
): JoinedFragment {
  return joinedFragment(placement.place(fragments), sequenceNumber)
}

function joinedFragment(placed: readonly PlacedFragment[], sequenceNumber: number): JoinedFragment {
  const tracks = placed.map(({ track, descriptionIndex, baseDts, runs }) => ({
    trackId: track.trackId,
    kind: track.kind,
    baseDts,
    ...(descriptionIndex > 1 && { descriptionIndex }),
    samples: runs.flatMap(({ samples }) => samples),
  }))
  return { head: serializeFragmentHead(sequenceNumber, tracks), spans: dataSpansOf(placed) }
}
