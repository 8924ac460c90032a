import { MovieLimitError } from '../../errors.ts'
import { boxPieces, boxSizeBytes, serializeBoxHead, type Box } from '../fmp4/box.ts'
import type { Edit } from '../fmp4/boxes/edit-list.ts'
import { serializeFileType } from '../fmp4/boxes/file-type.ts'
import { serializeMovieHeader } from '../fmp4/boxes/movie-header.ts'
import type { TrackFragment } from '../fmp4/fragment.ts'
import { MOVIE_TIMESCALE } from '../fmp4/init-segment.ts'
import { serializeTrack, type TrackSampleTable } from '../fmp4/track-box.ts'
import { dataSpansOf, type DataSpan } from './data-span.ts'
import { JoinedTracks, type JoinedSource, type JoinedTrack, type PlacedFragment } from './joined-tracks.ts'
import { TrackTables } from './track-tables.ts'

/** A day and a half of 25 pictures and 43 frames of sound a second. */
const MAX_SAMPLES = 10_000_000
const MAX_UINT32 = 0xffff_ffff
/** The first is the kind of file, the second has signed composition offsets. */
const BRANDS = ['isom', 'iso4', 'mp41'] as const

type IndexedTrack = { readonly track: JoinedTrack; readonly tables: TrackTables }

/**
 * Makes the head of a plain MP4 file (ISO/IEC 14496-12), `ftyp`, `moov` and the header of the `mdat`, of the fragments of one
 * or more fragmented files, while the data of the samples stay where they are. In the `mdat`, the data follow in the order in
 * which fragments are added.
 *
 * Files follow each other as `JoinedTracks` puts them. In the gap between two, the last sample of a track lasts until the
 * next one. A sample entry that differs in a later file is a further one of the track. Memory is about 4 bytes a sample, up
 * to 12 more for each picture where they are not presented in the order of decoding.
 */
export class MovieIndex {
  readonly #joined = new JoinedTracks()
  readonly #tables = new Map<JoinedTrack, TrackTables>()
  #mediaSizeBytes = 0
  #sampleCount = 0

  /** The size of the data of all samples, which are the content of the `mdat`. */
  get mediaSizeBytes(): number {
    return this.#mediaSizeBytes
  }

  /** Begins the next file. */
  beginSource(source: JoinedSource): void {
    this.#joined.begin(source)
  }

  /**
   * Adds the next samples of the file that was begun last.
   * @returns the places of their data in it, in the order of the `mdat`
   * @throws {MalformedError} when they have no time (`tfdt`).
   * @throws {MovieLimitError} for more than {@link MAX_SAMPLES} samples, or a gap that MP4 has no room for.
   */
  addFragment(fragments: readonly TrackFragment[]): DataSpan[] {
    const placed = this.#joined.place(fragments)
    for (const { runs } of placed) for (const { samples } of runs) this.#sampleCount += samples.length
    if (this.#sampleCount > MAX_SAMPLES) {
      throw new MovieLimitError(`a file here has at most ${MAX_SAMPLES} samples: take a shorter time`)
    }
    for (const fragment of placed) this.#add(fragment)
    return dataSpansOf(placed)
  }

  /** Returns the head in pieces, most of which are views of the tables: nothing is to be added afterwards. */
  serializeHead(): Buffer[] {
    const indexed = [...this.#tables].map(([track, tables]) => ({ track, tables }))
    const entryTypes = indexed.flatMap(({ track }) => track.entries.map(({ type }) => type))
    const fileType = serializeFileType(BRANDS, entryTypes)
    const mediaHead = serializeBoxHead('mdat', this.#mediaSizeBytes)
    const headSizeBytes = (offsetSizeBytes: 4 | 8) =>
      boxSizeBytes(fileType) + boxSizeBytes(movie(indexed, undefined, offsetSizeBytes)) + mediaHead.length
    const offsetSizeBytes = headSizeBytes(8) + this.#mediaSizeBytes > MAX_UINT32 ? 8 : 4
    return [...boxPieces([fileType, movie(indexed, headSizeBytes(offsetSizeBytes), offsetSizeBytes)]), mediaHead]
  }

  #add({ track, descriptionIndex, baseDts, runs }: PlacedFragment): void {
    const tables = this.#tables.get(track) ?? new TrackTables(track.pcmFrameSizeBytes)
    this.#tables.set(track, tables)
    let dts = baseDts
    for (const { samples } of runs) {
      if (samples.length > 0) tables.add({ offset: this.#mediaSizeBytes, descriptionIndex, dts, samples })
      for (const { sizeBytes, durationTicks } of samples) {
        this.#mediaSizeBytes += sizeBytes
        dts += durationTicks
      }
    }
  }
}

/** `moov`. */
function movie(indexed: readonly IndexedTrack[], mdatOffset: number | undefined, offsetSizeBytes: 4 | 8): Box {
  const startSeconds = Math.min(...indexed.map(startSecondsOf))
  const samples = indexed.map((entry): TrackSampleTable => {
    const { edits, movieDuration } = timesOf(entry, startSeconds)
    const tables = entry.tables.boxes(mdatOffset, offsetSizeBytes)
    return { tables, mediaDuration: entry.tables.mediaDuration, movieDuration, edits }
  })
  const header = serializeMovieHeader(
    { timescale: MOVIE_TIMESCALE, nextTrackId: Math.max(0, ...indexed.map(({ track }) => track.trackId)) + 1 },
    Math.max(0, ...samples.map(({ movieDuration }) => movieDuration)),
  )
  return {
    type: 'moov',
    children: [header, ...indexed.map(({ track }, index) => serializeTrack(track, samples[index]!))],
  }
}

function startSecondsOf({ track: { timescale }, tables }: IndexedTrack): number {
  return tables.startPts / timescale
}

/**
 * Returns the edits and the duration of a track. One that begins later than the movie has an empty edit; one with a first
 * sample that is presented after its decoding time has an edit from there.
 */
function timesOf(entry: IndexedTrack, movieStartSeconds: number): { edits: Edit[]; movieDuration: number } {
  const { tables, track } = entry
  const emptyTicks = Math.round((startSecondsOf(entry) - movieStartSeconds) * MOVIE_TIMESCALE)
  const duration = Math.ceil((tables.presentationDuration * MOVIE_TIMESCALE) / track.timescale)
  const mediaTime = tables.earlyTicks
  const isPlain = emptyTicks === 0 && mediaTime === 0
  const empty = emptyTicks > 0 ? [{ duration: emptyTicks, mediaTime: -1 }] : []
  return { edits: isPlain ? [] : [...empty, { duration, mediaTime }], movieDuration: emptyTicks + duration }
}
