import { MalformedError, MovieLimitError } from '../../errors.ts'
import { bodyOf, boxSizeBytes, parseBoxes, serializeBoxes, serializeBoxHead, type Box, type ParsedBox } from './box.ts'
import { serializeMovieFragmentHeader } from './boxes/movie-fragment-header.ts'
import { parseTrackFragmentDecodeTime, serializeTrackFragmentDecodeTime } from './boxes/track-fragment-decode-time.ts'
import {
  parseTrackFragmentHeader,
  serializeTrackFragmentHeader,
  type TrackFragmentHeader,
} from './boxes/track-fragment-header.ts'
import {
  MAX_SAMPLES_PER_FRAGMENT,
  parseTrackRun,
  RUN_FIELD,
  serializeTrackRun,
  trackRunSizeBytes,
  type RunSample,
  type SampleDefaults,
} from './boxes/track-run.ts'

const AUDIO_FIELDS = RUN_FIELD.duration | RUN_FIELD.size
/** The fields that are written of each sample. */
const FIELDS = { audio: AUDIO_FIELDS, video: AUDIO_FIELDS | RUN_FIELD.flags | RUN_FIELD.cts } as const
const MDAT_HEADER_SIZE_BYTES = 8
/** The most data that the offsets in runs can address. */
const MAX_DATA_SIZE_BYTES = 2 ** 31 - 2 ** 24
const NO_DEFAULTS: SampleDefaults = { durationTicks: 0, sizeBytes: 0, flags: 0 }

/** The times and sizes of one track's samples in a fragment. */
export type TrackSampleTimes = {
  readonly trackId: number
  readonly kind: 'video' | 'audio'
  /** The number of their sample entry, where it is not the first one. */
  readonly descriptionIndex?: number | undefined
  /** Decoding time of the first sample. */
  readonly baseDts: number
  /** The samples; none where the fragment only states the track's time. */
  readonly samples: readonly RunSample[]
}

/** The samples of one track for a fragment. */
export type TrackSamples = TrackSampleTimes & {
  /** Ticks a second of all times here: the track's timescale within fMP4. */
  readonly timescale: number
  /** The data of each sample. */
  readonly data: readonly Buffer[]
}

/** One track of a fragment, as a file has it. */
export type TrackFragment = {
  readonly trackId: number
  /** Decoding time of the first sample; undefined where it is the end of the track's last fragment. */
  readonly baseDts: number | undefined
  readonly runs: readonly SampleRun[]
}

/** Samples with data that follow one another. */
export type SampleRun = {
  /** The start of the data in the file. */
  readonly offset: number
  readonly samples: readonly RunSample[]
}

/**
 * A movie fragment, `moof` (ISO/IEC 14496-12 8.8.4) and `mdat`, in one new buffer.
 * @param sequenceNumber counted modulo 2^32
 * @throws {RangeError} for a time below 0.
 */
export function serializeFragment(sequenceNumber: number, tracks: readonly TrackSamples[]): Buffer {
  const moof = movieFragment(sequenceNumber, tracks)
  return serializeBoxes([moof, { type: 'mdat', contents: tracks.flatMap(({ data }) => data) }])
}

/**
 * Makes the head of a fragment as {@link serializeFragment} does, for data that are written apart: the `moof` and the header
 * of the `mdat`. The data of the tracks are to follow in their order.
 * @throws {RangeError} for a time below 0.
 * @throws {MovieLimitError} for data of more than {@link MAX_DATA_SIZE_BYTES}.
 */
export function serializeFragmentHead(sequenceNumber: number, tracks: readonly TrackSampleTimes[]): Buffer {
  let dataSizeBytes = 0
  for (const { samples } of tracks) for (const { sizeBytes } of samples) dataSizeBytes += sizeBytes
  if (dataSizeBytes > MAX_DATA_SIZE_BYTES)
    throw new MovieLimitError(`a fragment here has at most ${MAX_DATA_SIZE_BYTES} bytes of data`)
  return Buffer.concat([
    serializeBoxes([movieFragment(sequenceNumber, tracks)]),
    serializeBoxHead('mdat', dataSizeBytes),
  ])
}

/** Makes a `moof`; its `mdat` follows with the data of the tracks in their order. */
function movieFragment(sequenceNumber: number, tracks: readonly TrackSampleTimes[]): Box {
  const fragments = tracks.map(trackFragmentHead)
  const moof = { type: 'moof', children: [serializeMovieFragmentHeader(sequenceNumber), ...fragments] }
  let dataOffset = boxSizeBytes(moof) + MDAT_HEADER_SIZE_BYTES
  for (const { samples, kind } of tracks) dataOffset += trackRunSizeBytes(samples.length, FIELDS[kind])
  for (const [index, { kind, samples }] of tracks.entries()) {
    fragments[index]!.children.push(serializeTrackRun({ dataOffset, samples }, FIELDS[kind]))
    for (const { sizeBytes } of samples) dataOffset += sizeBytes
  }
  return moof
}

/** Makes a `traf` (8.8.6) without its run: the run's data offset depends on the size of all boxes before the data. */
function trackFragmentHead({ trackId, baseDts, descriptionIndex }: TrackSampleTimes) {
  const header = serializeTrackFragmentHeader({ trackId, descriptionIndex, baseIsMoof: true })
  return { type: 'traf', children: [header, serializeTrackFragmentDecodeTime(baseDts)] }
}

/**
 * Parses the content of a `moof`.
 * @param moofOffset the offset of the box in the file, which offsets in it are counted from
 * @param defaultsOf returns the `trex` of a track; undefined for an unknown track, which is left out
 * @throws {MalformedError} when it is broken, or has more than {@link MAX_SAMPLES_PER_FRAGMENT} samples of a track.
 */
export function parseMovieFragment(
  moof: Buffer,
  moofOffset: number,
  defaultsOf: (trackId: number) => SampleDefaults | undefined,
): TrackFragment[] {
  const fragments: TrackFragment[] = []
  // The data of a track without a base of its own follow those of the previous track.
  let dataEnd = moofOffset
  for (const { type, body } of parseBoxes(moof)) {
    if (type !== 'traf') continue
    const { fragment, end } = parseTrackFragment(parseBoxes(body), moofOffset, dataEnd, defaultsOf)
    dataEnd = end
    if (defaultsOf(fragment.trackId)) fragments.push(fragment)
  }
  return fragments
}

function parseTrackFragment(
  boxes: readonly ParsedBox[],
  moofOffset: number,
  dataEnd: number,
  defaultsOf: (trackId: number) => SampleDefaults | undefined,
): { fragment: TrackFragment; end: number } {
  const head = bodyOf(boxes, 'tfhd')
  if (head === undefined) throw new MalformedError('track fragment without header')
  const header = parseTrackFragmentHeader(head)
  const { trackId, baseDataOffset, baseIsMoof } = header
  const base = baseDataOffset ?? (baseIsMoof ? moofOffset : dataEnd)
  const { runs, end } = parseRuns(boxes, base, defaultsIn(header, defaultsOf(trackId) ?? NO_DEFAULTS))
  const time = bodyOf(boxes, 'tfdt')
  return { fragment: { trackId, baseDts: time && parseTrackFragmentDecodeTime(time), runs }, end }
}

function defaultsIn({ durationTicks, sizeBytes, sampleFlags }: TrackFragmentHeader, movie: SampleDefaults) {
  return {
    durationTicks: durationTicks ?? movie.durationTicks,
    sizeBytes: sizeBytes ?? movie.sizeBytes,
    flags: sampleFlags ?? movie.flags,
  }
}

/** The runs of a track, and where the data of the last one end. */
function parseRuns(boxes: readonly ParsedBox[], base: number, defaults: SampleDefaults) {
  const runs: SampleRun[] = []
  let end = base
  let samplesLeft = MAX_SAMPLES_PER_FRAGMENT
  for (const { type, body } of boxes) {
    if (type !== 'trun') continue
    const { dataOffset, samples } = parseTrackRun(body, defaults)
    samplesLeft -= samples.length
    if (samplesLeft < 0) throw new MalformedError(`track fragment of more than ${MAX_SAMPLES_PER_FRAGMENT} samples`)
    const offset = dataOffset === undefined ? end : base + dataOffset
    runs.push({ offset, samples })
    end = offset
    for (const { sizeBytes } of samples) end += sizeBytes
  }
  return { runs, end }
}
