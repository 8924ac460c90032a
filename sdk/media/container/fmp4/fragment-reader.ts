import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { readBoxes } from './demux-boxes.ts'
import type { ReadBox } from './demux-boxes.ts'
import type { SampleDefaults } from './demux-movie.ts'

/** An hour of video at 25 frames a second. */
const MAX_SAMPLES_PER_FRAGMENT = 100_000

/** Fields of `tfhd` (ISO/IEC 14496-12 8.8.7). */
const HEADER = { baseDataOffset: 0x1, description: 0x2, duration: 0x8, size: 0x10, flags: 0x20 } as const
const DEFAULT_BASE_IS_MOOF = 0x02_0000
/** Fields of `trun` (8.8.8). */
const RUN = { dataOffset: 0x1, firstFlags: 0x4, duration: 0x100, size: 0x200, flags: 0x400, cts: 0x800 } as const

/** A sample and where its bytes lie in the file. */
export type FragmentSample = {
  readonly offset: number
  readonly sizeBytes: number
  readonly durationTicks: number
  readonly cts: number
}

/** What a fragment has of one track. */
export type TrackFragment = {
  readonly trackId: number
  /** Decoding time of the first sample; undefined when it goes on where the track is. */
  readonly baseDts: number | undefined
  readonly samples: readonly FragmentSample[]
}

type RunContext = { readonly base: number; readonly defaults: SampleDefaults; readonly samples: FragmentSample[] }

/**
 * Reads `moof` (8.8.4).
 * @param moofOffset where the box begins in the file, which offsets in it are counted from
 * @param defaultsOf what `trex` says of a track; undefined for one that is not known and left out
 * @throws {MalformedError} when it is broken, or has more than {@link MAX_SAMPLES_PER_FRAGMENT} samples.
 */
export function parseMovieFragment(
  moof: Buffer,
  moofOffset: number,
  defaultsOf: (trackId: number) => SampleDefaults | undefined,
): TrackFragment[] {
  const fragments: TrackFragment[] = []
  // Without a base of its own, a track's data follows that of the one before.
  let next = moofOffset
  for (const { type, body } of readBoxes(moof)) {
    if (type !== 'traf') continue
    const { fragment, end } = parseTrackFragment(readBoxes(body), moofOffset, next, defaultsOf)
    next = end
    if (defaultsOf(fragment.trackId)) fragments.push(fragment)
  }
  return fragments
}

function parseTrackFragment(
  boxes: readonly ReadBox[],
  moofOffset: number,
  next: number,
  defaultsOf: (trackId: number) => SampleDefaults | undefined,
): { fragment: TrackFragment; end: number } {
  const header = boxes.find(({ type }) => type === 'tfhd')?.body
  if (header === undefined) throw new MalformedError('track fragment without header')
  const reader = new ByteReader(header)
  const flags = reader.readUint(4) & 0xff_ffff
  const trackId = reader.readUint(4)
  const known = defaultsOf(trackId) ?? { durationTicks: 0, sizeBytes: 0 }
  const implied = (flags & DEFAULT_BASE_IS_MOOF) !== 0 ? moofOffset : next
  const base = (flags & HEADER.baseDataOffset) !== 0 ? readUint64(reader) : implied
  if ((flags & HEADER.description) !== 0) reader.readUint(4)
  const durationTicks = (flags & HEADER.duration) !== 0 ? reader.readUint(4) : known.durationTicks
  const sizeBytes = (flags & HEADER.size) !== 0 ? reader.readUint(4) : known.sizeBytes
  const context: RunContext = { base, defaults: { durationTicks, sizeBytes }, samples: [] }
  let end = base
  for (const { type, body } of boxes) if (type === 'trun') end = readRun(body, end, context)
  const time = boxes.find(({ type }) => type === 'tfdt')?.body
  return { fragment: { trackId, baseDts: time && decodeTime(time), samples: context.samples }, end }
}

/** 8.8.12. */
function decodeTime(body: Buffer): number {
  const reader = new ByteReader(body)
  const version = reader.readUint(1)
  reader.readBytes(3)
  return version === 1 ? readUint64(reader) : reader.readUint(4)
}

/** Adds the samples of a run, and gives where its data ends. */
function readRun(run: Buffer, next: number, { base, defaults, samples }: RunContext): number {
  const reader = new ByteReader(run)
  const flags = reader.readUint(4) & 0xff_ffff
  const count = reader.readUint(4)
  if (samples.length + count > MAX_SAMPLES_PER_FRAGMENT) throw new MalformedError(`fragment of ${count} samples`)
  let offset = (flags & RUN.dataOffset) !== 0 ? base + (reader.readUint(4) | 0) : next
  if ((flags & RUN.firstFlags) !== 0) reader.readUint(4)
  for (let index = 0; index < count; index++) {
    const durationTicks = (flags & RUN.duration) !== 0 ? reader.readUint(4) : defaults.durationTicks
    const sizeBytes = (flags & RUN.size) !== 0 ? reader.readUint(4) : defaults.sizeBytes
    if ((flags & RUN.flags) !== 0) reader.readUint(4)
    // Some write signed offsets in version 0, too.
    const cts = (flags & RUN.cts) !== 0 ? reader.readUint(4) | 0 : 0
    samples.push({ offset, sizeBytes, durationTicks, cts })
    offset += sizeBytes
  }
  return offset
}

function readUint64(reader: ByteReader): number {
  const value = reader.readUint(4) * 2 ** 32 + reader.readUint(4)
  if (!Number.isSafeInteger(value)) throw new MalformedError(`64-bit field of ${value}`)
  return value
}
