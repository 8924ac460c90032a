import { ByteReader } from '../../bits/byte-reader.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { MalformedError } from '../../errors.ts'
import { rescale } from '../../time/rescale.ts'
import { bodyAt, bodyOf, readBoxes } from './demux-boxes.ts'
import type { ReadBox } from './demux-boxes.ts'
import { parseSampleEntry } from './demux-sample-entry.ts'
import type { EntryFormat } from './demux-sample-entry.ts'

/** A file for one player has a few. */
const MAX_TRACKS = 32
const MAX_EDITS = 100

/** What holds for samples of which a fragment says nothing (ISO/IEC 14496-12 8.8.3). */
export type SampleDefaults = { readonly durationTicks: number; readonly sizeBytes: number }

/** A track of a movie. */
export type MovieTrack = {
  readonly trackId: number
  readonly timescale: number
  /** Undefined when no track of ours can carry it, or it is broken. */
  readonly format: EntryFormat | undefined
  /** The type of the sample entry. */
  readonly entryType: string
  /** Added to the times of its samples, in its ticks: what its edit list does to the start. */
  readonly shiftTicks: number
  readonly defaults: SampleDefaults
}

/**
 * Reads `moov` (8.2.1) as far as fragments need it.
 * @throws {MalformedError} when it is broken.
 */
export function parseMovie(moov: Buffer): MovieTrack[] {
  const boxes = readBoxes(moov)
  const movieTimescale = mediaTimescale(bodyOf(boxes, 'mvhd')) ?? 0
  const defaults = trackDefaults(bodyOf(boxes, 'mvex'))
  const tracks = boxes.filter(({ type }) => type === 'trak').map(({ body }) => body)
  if (tracks.length > MAX_TRACKS) throw new MalformedError(`movie of ${tracks.length} tracks`)
  return tracks.flatMap((trak) => {
    const track = parseTrack(trak, movieTimescale)
    return track ? [{ ...track, defaults: defaults.get(track.trackId) ?? { durationTicks: 0, sizeBytes: 0 } }] : []
  })
}

/** Undefined for a track of anything but pictures and sound. */
function parseTrack(trak: Buffer, movieTimescale: number): Omit<MovieTrack, 'defaults'> | undefined {
  const boxes = readBoxes(trak)
  const timescale = mediaTimescale(bodyAt(trak, 'mdia', 'mdhd'))
  const entry = firstSampleEntry(bodyAt(trak, 'mdia', 'minf', 'stbl', 'stsd'))
  const handler = bodyAt(trak, 'mdia', 'hdlr')?.toString('latin1', 8, 12)
  if (handler !== 'vide' && handler !== 'soun') return undefined
  if (!timescale || entry === undefined) throw new MalformedError('track without media')
  return {
    trackId: trackIdOf(bodyOf(boxes, 'tkhd')),
    timescale,
    format: tryParse(() => parseSampleEntry(entry), entry.body),
    entryType: entry.type,
    shiftTicks: shiftOf(bodyAt(trak, 'edts', 'elst'), movieTimescale, timescale),
  }
}

/** In version 1 the two times before a field have 8 bytes each (8.2.2, 8.3.2, 8.4.2). */
function afterTimes(body: Buffer): ByteReader {
  const reader = new ByteReader(body)
  const version = reader.readUint(1)
  reader.readBytes(3 + (version === 1 ? 16 : 8))
  return reader
}

function mediaTimescale(header: Buffer | undefined): number | undefined {
  return header && afterTimes(header).readUint(4)
}

function trackIdOf(header: Buffer | undefined): number {
  if (header === undefined) throw new MalformedError('track without header')
  return afterTimes(header).readUint(4)
}

function firstSampleEntry(descriptions: Buffer | undefined): ReadBox | undefined {
  return descriptions && readBoxes(descriptions.subarray(8))[0]
}

function trackDefaults(extensions: Buffer | undefined): Map<number, SampleDefaults> {
  const defaults = new Map<number, SampleDefaults>()
  for (const { type, body } of extensions ? readBoxes(extensions) : []) {
    if (type !== 'trex') continue
    const reader = new ByteReader(body)
    reader.readBytes(4)
    const trackId = reader.readUint(4)
    reader.readUint(4)
    defaults.set(trackId, { durationTicks: reader.readUint(4), sizeBytes: reader.readUint(4) })
  }
  return defaults
}

/** 8.6.6: empty edits put the start off, the first other one tells which media time is the start. */
function shiftOf(list: Buffer | undefined, movieTimescale: number, timescale: number): number {
  if (list === undefined) return 0
  const reader = new ByteReader(list)
  const wide = reader.readUint(1) === 1
  reader.readBytes(3)
  const count = reader.readUint(4)
  let emptyTicks = 0
  for (let index = 0; index < Math.min(count, MAX_EDITS); index++) {
    const duration = readTime(reader, wide)
    const mediaTime = readTime(reader, wide)
    reader.readUint(4)
    if (mediaTime >= 0) return emptyTicks - mediaTime
    if (movieTimescale > 0) emptyTicks += rescale(duration, movieTimescale, timescale)
  }
  return emptyTicks
}

/** Signed; −1 stands for none. */
function readTime(reader: ByteReader, wide: boolean): number {
  if (!wide) return reader.readUint(4) | 0
  const high = reader.readUint(4) | 0
  const time = high * 2 ** 32 + reader.readUint(4)
  if (!Number.isSafeInteger(time)) throw new MalformedError(`time of ${time} in an edit list`)
  return time
}
