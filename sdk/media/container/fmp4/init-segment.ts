import type { Track } from '../../track.ts'
import { fullBox, serializeBoxes, uint16, uint32 } from './box.ts'
import type { Box } from './box.ts'
import { sampleEntry } from './sample-entry.ts'

const MOVIE_TIMESCALE = 1000
const ONE = 0x0001_0000
const MATRIX = uint32(ONE, 0, 0, 0, ONE, 0, 0, 0, 0x4000_0000)
const FULL_VOLUME = 0x0100
const ENABLED_IN_MOVIE_AND_PREVIEW = 7
const SELF_CONTAINED = 1
const LANGUAGE = /^[a-z]{3}$/u
const UNDETERMINED = 'und'

/** A sample that decoding can start at, and one that depends on others (ISO/IEC 14496-12 8.8.3.1). */
export const SAMPLE_FLAGS = { sync: 0x0200_0000, dependent: 0x0101_0000 } as const

/** Whether fMP4 can carry a track: all but VP8. G.711 is legal in QuickTime's form of it alone, which not all play. */
export function canCarryInFmp4({ codec }: Track): boolean {
  return codec !== 'vp8'
}

/**
 * Ticks a second of a track within fMP4: the sample rate of audio, so that each frame's duration is exact; the track's
 * own of video.
 */
export function fmp4Timescale(track: Track): number {
  return track.kind === 'audio' ? track.config.sampleRate : track.timescale
}

/** The number of a track within fMP4, which may not be 0. */
export function fmp4TrackId({ id }: Track): number {
  return id + 1
}

/**
 * `ftyp` and `moov`, to be read before the fragments of these tracks. There is no edit list: times are those of the
 * units. A name of three lower-case letters is the track's language.
 * @throws {RangeError} for a track that `canCarryInFmp4` refuses.
 * @throws {MalformedError} when a configuration is broken.
 */
export function createInitSegment(tracks: readonly Track[]): Buffer {
  return serializeBoxes([fileType(tracks), movie(tracks)])
}

function fileType(tracks: readonly Track[]): Box {
  const brands = ['iso5', 'iso6', 'mp41']
  if (tracks.some(({ codec }) => codec === 'av1')) brands.push('av01')
  if (tracks.some(({ codec }) => codec === 'pcma' || codec === 'pcmu')) brands.push('qt  ')
  return {
    type: 'ftyp',
    contents: [Buffer.from('iso5', 'latin1'), uint32(512), Buffer.from(brands.join(''), 'latin1')],
  }
}

function movie(tracks: readonly Track[]): Box {
  const nextTrackId = Math.max(0, ...tracks.map(fmp4TrackId)) + 1
  const header = fullBox('mvhd', 0, 0, [
    uint32(0, 0, MOVIE_TIMESCALE, 0, ONE),
    uint16(FULL_VOLUME),
    Buffer.alloc(10),
    MATRIX,
    Buffer.alloc(24),
    uint32(nextTrackId),
  ])
  const fragmented: Box = { type: 'mvex', children: tracks.map(trackExtends) }
  return { type: 'moov', children: [header, ...tracks.map(trackBox), fragmented] }
}

/** What holds for samples of which a fragment says nothing: those of audio all are places to start at. */
function trackExtends(track: Track): Box {
  const flags = track.kind === 'audio' ? SAMPLE_FLAGS.sync : SAMPLE_FLAGS.dependent
  return fullBox('trex', 0, 0, [uint32(fmp4TrackId(track), 1, 0, 0, flags)])
}

function trackBox(track: Track): Box {
  const { width, height } = track.kind === 'video' ? track.config : { width: 0, height: 0 }
  const volume = track.kind === 'audio' ? FULL_VOLUME : 0
  const header = fullBox('tkhd', 0, ENABLED_IN_MOVIE_AND_PREVIEW, [
    uint32(0, 0, fmp4TrackId(track), 0, 0),
    Buffer.alloc(8),
    uint16(0, 0, volume, 0),
    MATRIX,
    uint32(width * ONE, height * ONE),
  ])
  return { type: 'trak', children: [header, mediaBox(track)] }
}

function mediaBox(track: Track): Box {
  const header = fullBox('mdhd', 0, 0, [uint32(0, 0, fmp4Timescale(track), 0), uint16(languageCode(track), 0)])
  const [handlerType, name] = track.kind === 'video' ? ['vide', 'video\0'] : ['soun', 'audio\0']
  const handler = fullBox('hdlr', 0, 0, [uint32(0), Buffer.from(handlerType), Buffer.alloc(12), Buffer.from(name)])
  return { type: 'mdia', children: [header, handler, mediaInformation(track)] }
}

function mediaInformation(track: Track): Box {
  const header =
    track.kind === 'video' ? fullBox('vmhd', 0, 1, [Buffer.alloc(8)]) : fullBox('smhd', 0, 0, [Buffer.alloc(4)])
  const reference = fullBox('dref', 0, 0, [uint32(1)], [fullBox('url ', 0, SELF_CONTAINED)])
  const descriptions = fullBox('stsd', 0, 0, [uint32(1)], [sampleEntry(track)])
  const noSamples = ['stts', 'stsc', 'stco'].map((type) => fullBox(type, 0, 0, [uint32(0)]))
  const table = { type: 'stbl', children: [descriptions, ...noSamples, fullBox('stsz', 0, 0, [uint32(0, 0)])] }
  return { type: 'minf', children: [header, { type: 'dinf', children: [reference] }, table] }
}

/** Three letters of five bits each (8.4.2.3). */
function languageCode({ name = '' }: Track): number {
  const letters = LANGUAGE.test(name) ? name : UNDETERMINED
  return Buffer.from(letters).reduce((code, letter) => (code << 5) | (letter - 0x60), 0)
}
