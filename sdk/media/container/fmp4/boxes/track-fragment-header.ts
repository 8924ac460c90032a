import { fullBox, parseFullBox, type Box } from '../box.ts'
import { readUint64, uint32, uint64 } from './fields.ts'

/** `tfhd` (ISO/IEC 14496-12 8.8.7): the track of a fragment, and the defaults for values that a run leaves out. */
export type TrackFragmentHeader = {
  readonly trackId: number
  /** The position in the file that data offsets count from; undefined to count from the `moof`, or from the end of the last track. */
  readonly baseDataOffset?: number | undefined
  readonly descriptionIndex?: number | undefined
  readonly durationTicks?: number | undefined
  readonly sizeBytes?: number | undefined
  readonly sampleFlags?: number | undefined
  /** Data offsets count from the `moof` of this fragment. */
  readonly baseIsMoof: boolean
}

const FIELD = { baseDataOffset: 0x1, descriptionIndex: 0x2, duration: 0x8, size: 0x10, flags: 0x20 } as const
const DEFAULT_BASE_IS_MOOF = 0x02_0000

export function serializeTrackFragmentHeader(header: TrackFragmentHeader): Box {
  const { trackId, baseDataOffset, descriptionIndex, durationTicks, sizeBytes, sampleFlags } = header
  const contents = [uint32(trackId)]
  if (baseDataOffset !== undefined) contents.push(uint64(baseDataOffset))
  for (const value of [descriptionIndex, durationTicks, sizeBytes, sampleFlags]) {
    if (value !== undefined) contents.push(uint32(value))
  }
  return fullBox('tfhd', 0, flagsOf(header), contents)
}

function flagsOf(header: TrackFragmentHeader): number {
  let flags = header.baseIsMoof ? DEFAULT_BASE_IS_MOOF : 0
  if (header.baseDataOffset !== undefined) flags |= FIELD.baseDataOffset
  if (header.descriptionIndex !== undefined) flags |= FIELD.descriptionIndex
  if (header.durationTicks !== undefined) flags |= FIELD.duration
  if (header.sizeBytes !== undefined) flags |= FIELD.size
  if (header.sampleFlags !== undefined) flags |= FIELD.flags
  return flags
}

/** @throws {MalformedError} when it ends early, or has an offset above 2^53. */
export function parseTrackFragmentHeader(body: Buffer): TrackFragmentHeader {
  const { flags, fields } = parseFullBox(body)
  const optional = (flag: number) => ((flags & flag) !== 0 ? fields.readUint(4) : undefined)
  return {
    trackId: fields.readUint(4),
    baseDataOffset: (flags & FIELD.baseDataOffset) !== 0 ? readUint64(fields) : undefined,
    descriptionIndex: optional(FIELD.descriptionIndex),
    durationTicks: optional(FIELD.duration),
    sizeBytes: optional(FIELD.size),
    sampleFlags: optional(FIELD.flags),
    baseIsMoof: (flags & DEFAULT_BASE_IS_MOOF) !== 0,
  }
}
