import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import { rescale } from '../../time/rescale.ts'
import type { Track } from '../../track.ts'
import { bodyAt, bodyOf, fullBox, parseBoxes, serializeBoxes, type Box } from './box.ts'
import { parseEditList, type Edit } from './boxes/edit-list.ts'
import { uint32 } from './boxes/fields.ts'
import { parseHandler, serializeHandler } from './boxes/handler.ts'
import { parseMediaHeader, serializeMediaHeader } from './boxes/media-header.ts'
import { parseMovieHeader, serializeMovieHeader } from './boxes/movie-header.ts'
import { parseTrackExtends, serializeTrackExtends } from './boxes/track-extends.ts'
import { parseTrackHeader, serializeTrackHeader } from './boxes/track-header.ts'
import { SAMPLE_FLAGS, type SampleDefaults } from './boxes/track-run.ts'
import { languageCodeOf, languageTagOf } from '../language.ts'
import { fmp4Timescale, fmp4TrackId, fmp4TrackOf, type Fmp4Track } from './carriage.ts'
import { parseSampleEntry, serializeSampleEntry, type EntryFormat } from './sample-entry.ts'

/** A track of an init segment that was read. */
export type MovieTrack = {
  readonly trackId: number
  readonly timescale: number
  /** The language tag (BCP 47); undefined where the file names none. */
  readonly language: string | undefined
  /** Undefined when no track of ours can carry it, or it is broken. */
  readonly format: EntryFormat | undefined
  /** The type of the sample entry. */
  readonly entryType: string
  /** Added to the times of its samples, in its ticks: what its edit list does to the start. */
  readonly shiftTicks: number
  /** What holds for samples of which a fragment says nothing. */
  readonly defaults: SampleDefaults
}

/** How many tracks a file may have; one for a single player has a few. */
const MAX_TRACKS = 32
const MOVIE_TIMESCALE = 1000
const SELF_CONTAINED = 1
const UNDETERMINED = 'und'
const NO_DEFAULTS: SampleDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 }
/** Fields before the entries of `stsd`: version, flags and count. */
const DESCRIPTIONS_HEAD_SIZE_BYTES = 8

/**
 * `ftyp` and `moov`, to be read before the fragments of these tracks. There is no edit list: times are those of the
 * units.
 * @throws {RangeError} for a track that `canCarryInFmp4` refuses.
 */
export function createInitSegment(tracks: readonly Track[]): Buffer {
  const carried = tracks.map(fmp4TrackOf)
  return serializeBoxes([fileType(carried), movie(carried)])
}

function fileType(tracks: readonly Fmp4Track[]): Box {
  const brands = ['iso5', 'iso6', 'mp41']
  if (tracks.some(({ codec }) => codec === 'av1')) brands.push('av01')
  if (tracks.some(({ codec }) => codec === 'pcma' || codec === 'pcmu')) brands.push('qt  ')
  return {
    type: 'ftyp',
    contents: [Buffer.from('iso5', 'latin1'), uint32(512), Buffer.from(brands.join(''), 'latin1')],
  }
}

function movie(tracks: readonly Fmp4Track[]): Box {
  const nextTrackId = Math.max(0, ...tracks.map(fmp4TrackId)) + 1
  const header = serializeMovieHeader({ timescale: MOVIE_TIMESCALE, nextTrackId })
  const extensions = tracks.map((track) => {
    // Decoding can start at each sample of audio.
    const flags = track.kind === 'audio' ? SAMPLE_FLAGS.sync : SAMPLE_FLAGS.dependent
    return serializeTrackExtends({ trackId: fmp4TrackId(track), defaults: { ...NO_DEFAULTS, flags } })
  })
  return { type: 'moov', children: [header, ...tracks.map(trackBox), { type: 'mvex', children: extensions }] }
}

function trackBox(track: Fmp4Track): Box {
  const { width, height } = track.kind === 'video' ? track.config : { width: 0, height: 0 }
  const header = serializeTrackHeader({ trackId: fmp4TrackId(track), kind: track.kind, width, height })
  return { type: 'trak', children: [header, mediaBox(track)] }
}

function mediaBox(track: Fmp4Track): Box {
  const language = languageCodeOf(track.language) ?? UNDETERMINED
  const header = serializeMediaHeader({ timescale: fmp4Timescale(track), language })
  return { type: 'mdia', children: [header, serializeHandler(track.kind), mediaInformation(track)] }
}

function mediaInformation(track: Fmp4Track): Box {
  const header =
    track.kind === 'video' ? fullBox('vmhd', 0, 1, [Buffer.alloc(8)]) : fullBox('smhd', 0, 0, [Buffer.alloc(4)])
  const reference = fullBox('dref', 0, 0, [uint32(1)], [fullBox('url ', 0, SELF_CONTAINED)])
  const descriptions = fullBox('stsd', 0, 0, [uint32(1)], [serializeSampleEntry(track)])
  const noSamples = ['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, 0, [uint32(0)]))
  const table = { type: 'stbl', children: [descriptions, ...noSamples, fullBox('stsz', 0, 0, [uint32(0, 0)])] }
  return { type: 'minf', children: [header, { type: 'dinf', children: [reference] }, table] }
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
  if (handler === undefined || parseHandler(handler) === undefined) return undefined
  const header = bodyAt(trak, 'tkhd')
  const media = bodyAt(trak, 'mdia', 'mdhd')
  const descriptions = bodyAt(trak, 'mdia', 'minf', 'stbl', 'stsd')
  const [entry] = descriptions ? parseBoxes(descriptions.subarray(DESCRIPTIONS_HEAD_SIZE_BYTES)) : []
  if (!header || !media || !entry) throw new MalformedError('track without header, media header or sample entry')
  const { timescale, language } = parseMediaHeader(media)
  if (timescale === 0) throw new MalformedError('track with a timescale of 0')
  const edits = bodyAt(trak, 'edts', 'elst')
  return {
    trackId: parseTrackHeader(header).trackId,
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
