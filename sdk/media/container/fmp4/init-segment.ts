import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import { rescale } from '../../time/rescale.ts'
import type { Track } from '../../track.ts'
import { bodyAt, bodyOf, parseBoxes, serializeBoxes, type Box } from './box.ts'
import { parseEditList, type Edit } from './boxes/edit-list.ts'
import { serializeFileType } from './boxes/file-type.ts'
import { parseHandler } from './boxes/handler.ts'
import { parseMediaHeader } from './boxes/media-header.ts'
import { parseMovieHeader, serializeMovieHeader } from './boxes/movie-header.ts'
import { parseTrackExtends, serializeTrackExtends } from './boxes/track-extends.ts'
import { parseTrackHeader } from './boxes/track-header.ts'
import { SAMPLE_FLAGS, type SampleDefaults } from './boxes/track-run.ts'
import { languageTagOf } from '../language.ts'
import { fmp4Timescale, fmp4TrackId, fmp4TrackOf, type Fmp4Track } from './carriage.ts'
import { parseSampleEntry, serializeSampleEntry, type EntryFormat } from './sample-entry.ts'
import { NO_SAMPLES, serializeTrack, type TrackDescription } from './track-box.ts'

/** A track of an init segment that was read. Of several sample entries it has the first. */
export type MovieTrack = TrackDescription & {
  /** Undefined when no track of ours can carry it, or it is broken. */
  readonly format: EntryFormat | undefined
  /** The type of the sample entry. */
  readonly entryType: string
  /** Added to the times of its samples, in its ticks: what its edit list does to the start. */
  readonly shiftTicks: number
  /** The values of samples for which a fragment has none. */
  readonly defaults: SampleDefaults
}

/** The most tracks of a file; one for a single player has a few. */
const MAX_TRACKS = 32
/** Ticks a second of a movie's own times. */
export const MOVIE_TIMESCALE = 1000
const NO_DEFAULTS: SampleDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 }
/** Fields before the entries of `stsd`: version, flags and count. */
const DESCRIPTIONS_HEAD_SIZE_BYTES = 8

/**
 * `ftyp` and `moov`, to be read before the fragments of these tracks. There is no edit list: times are those of the
 * units.
 * @throws {RangeError} for a track that `canCarryInFmp4` refuses.
 */
export function createInitSegment(tracks: readonly Track[]): Buffer {
  return serializeInitSegment(tracks.map((track) => describe(fmp4TrackOf(track))))
}

/** Makes an init segment as {@link createInitSegment} does, of tracks that are described by their boxes. */
export function serializeInitSegment(tracks: readonly TrackDescription[]): Buffer {
  const entryTypes = tracks.flatMap(({ entries }) => entries.map(({ type }) => type))
  return serializeBoxes([serializeFileType(['iso5', 'iso6', 'mp41'], entryTypes), movie(tracks)])
}

function describe(track: Fmp4Track): TrackDescription {
  const { width, height } = track.kind === 'video' ? track.config : { width: 0, height: 0 }
  return {
    trackId: fmp4TrackId(track),
    kind: track.kind,
    width,
    height,
    timescale: fmp4Timescale(track),
    language: track.language,
    entries: [serializeSampleEntry(track)],
  }
}

function movie(tracks: readonly TrackDescription[]): Box {
  const nextTrackId = Math.max(0, ...tracks.map(({ trackId }) => trackId)) + 1
  const header = serializeMovieHeader({ timescale: MOVIE_TIMESCALE, nextTrackId })
  const extensions = tracks.map(({ trackId, kind }) => {
    // Decoding can start at each sample of audio.
    const flags = kind === 'audio' ? SAMPLE_FLAGS.sync : SAMPLE_FLAGS.dependent
    return serializeTrackExtends({ trackId, defaults: { ...NO_DEFAULTS, flags } })
  })
  const boxes = tracks.map((track) => serializeTrack(track, NO_SAMPLES))
  return { type: 'moov', children: [header, ...boxes, { type: 'mvex', children: extensions }] }
}

/**
 * Parses the content of a `moov` (ISO/IEC 14496-12 8.2.1) as far as fragments need it.
 * @throws {MalformedError} when it is broken.
 */
export function parseMovie(moov: Buffer): MovieTrack[] {
  const boxes = parseBoxes(moov)
  const header = bodyOf(boxes, 'mvhd')
  const movieTimescale = header ? parseMovieHeader(header).timescale : 0
  const defaults = parseDefaults(bodyOf(boxes, 'mvex'))
  const tracks = boxes.filter(({ type }) => type === 'trak').map(({ body }) => body)
  if (tracks.length > MAX_TRACKS) throw new MalformedError(`movie of ${tracks.length} tracks`)
  return tracks.flatMap((trak) => {
    const track = parseTrack(trak, movieTimescale)
    return track ? [{ ...track, defaults: defaults.get(track.trackId) ?? NO_DEFAULTS }] : []
  })
}

function parseDefaults(extensions: Buffer | undefined): Map<number, SampleDefaults> {
  const boxes = extensions ? parseBoxes(extensions).filter(({ type }) => type === 'trex') : []
  const found = boxes.map(({ body }) => parseTrackExtends(body))
  return new Map(found.map(({ trackId, defaults }) => [trackId, defaults]))
}

/** Undefined for a track of anything but pictures and sound. */
function parseTrack(trak: Buffer, movieTimescale: number): Omit<MovieTrack, 'defaults'> | undefined {
  const handler = bodyAt(trak, 'mdia', 'hdlr')
  const kind = handler && parseHandler(handler)
  if (kind === undefined) return undefined
  const header = bodyAt(trak, 'tkhd')
  const media = bodyAt(trak, 'mdia', 'mdhd')
  const descriptions = bodyAt(trak, 'mdia', 'minf', 'stbl', 'stsd')
  const [entry] = descriptions ? parseBoxes(descriptions.subarray(DESCRIPTIONS_HEAD_SIZE_BYTES)) : []
  if (!header || !media || !entry) throw new MalformedError('track without header, media header or sample entry')
  const { timescale, language } = parseMediaHeader(media)
  if (timescale === 0) throw new MalformedError('track with a timescale of 0')
  const edits = bodyAt(trak, 'edts', 'elst')
  return {
    ...parseTrackHeader(header),
    kind,
    entries: [{ type: entry.type, contents: [Buffer.from(entry.body)] }],
    timescale,
    language: languageTagOf(language),
    format: tryParse(() => parseSampleEntry(entry), entry.body),
    entryType: entry.type,
    shiftTicks: edits ? shiftOf(parseEditList(edits), movieTimescale, timescale) : 0,
  }
}

/** Empty edits put the start off, the first other one tells which media time is the start (8.6.6). */
function shiftOf(edits: readonly Edit[], movieTimescale: number, timescale: number): number {
  let emptyTicks = 0
  for (const { duration, mediaTime } of edits) {
    if (mediaTime >= 0) return emptyTicks - mediaTime
    if (movieTimescale > 0) emptyTicks += rescale(duration, movieTimescale, timescale)
  }
  return emptyTicks
}
