import { boxSizeBytes, fullBox, serializeBoxes, uint32, uint64 } from './box.ts'
import type { Box } from './box.ts'
import { SAMPLE_FLAGS } from './init-segment.ts'

const DEFAULT_BASE_IS_MOOF = 0x02_0000
/** Fields of `trun` (ISO/IEC 14496-12 8.8.8). */
const RUN_FLAGS = { dataOffset: 0x1, duration: 0x100, size: 0x200, flags: 0x400, cts: 0x800 } as const
const AUDIO_RUN = RUN_FLAGS.dataOffset | RUN_FLAGS.duration | RUN_FLAGS.size
const VIDEO_RUN = AUDIO_RUN | RUN_FLAGS.flags | RUN_FLAGS.cts
const DATA_OFFSET_POSITION = 4
const RUN_HEADER_SIZE_BYTES = 8
const MDAT_HEADER_SIZE_BYTES = 8

/** One frame. Times are in ticks of the track within fMP4. */
export type FragmentSample = {
  readonly data: Buffer
  readonly durationTicks: number
  /** Presentation less decoding time; may be negative. */
  readonly cts: number
  readonly keyframe: boolean
}

/** What a fragment has of one track. */
export type FragmentRun = {
  readonly trackId: number
  readonly kind: 'video' | 'audio'
  /** Decoding time of the first sample. */
  readonly baseDts: number
  readonly samples: readonly FragmentSample[]
}

/**
 * A movie fragment, `moof` and `mdat`, in one new buffer.
 * @throws {RangeError} for a time below 0.
 */
export function serializeFragment(sequenceNumber: number, runs: readonly FragmentRun[]): Buffer {
  const tables = runs.map(runTable)
  const trackFragments = runs.map((run, index) => trackFragment(run, tables[index]!))
  const moof: Box = { type: 'moof', children: [fullBox('mfhd', 0, 0, [uint32(sequenceNumber)]), ...trackFragments] }
  let dataOffset = boxSizeBytes(moof) + MDAT_HEADER_SIZE_BYTES
  for (const [index, { samples }] of runs.entries()) {
    tables[index]!.writeInt32BE(dataOffset, DATA_OFFSET_POSITION)
    for (const { data } of samples) dataOffset += data.length
  }
  const mdat: Box = { type: 'mdat', contents: runs.flatMap(({ samples }) => samples.map(({ data }) => data)) }
  return serializeBoxes([moof, mdat])
}

function trackFragment({ trackId, kind, baseDts }: FragmentRun, table: Buffer): Box {
  const header = fullBox('tfhd', 0, DEFAULT_BASE_IS_MOOF, [uint32(trackId)])
  const decodeTime = fullBox('tfdt', 1, 0, [uint64(baseDts)])
  // Version 1 has signed composition offsets.
  const run = fullBox('trun', 1, kind === 'video' ? VIDEO_RUN : AUDIO_RUN, [table])
  return { type: 'traf', children: [header, decodeTime, run] }
}

/** Count, data offset (set later), and for each sample: duration, size and, of video, flags and composition offset. */
function runTable({ kind, samples }: FragmentRun): Buffer {
  const entrySizeBytes = kind === 'video' ? 16 : 8
  const table = Buffer.allocUnsafe(RUN_HEADER_SIZE_BYTES + samples.length * entrySizeBytes)
  table.writeUInt32BE(samples.length, 0)
  let offset = RUN_HEADER_SIZE_BYTES
  for (const { data, durationTicks, cts, keyframe } of samples) {
    offset = table.writeUInt32BE(durationTicks, offset)
    offset = table.writeUInt32BE(data.length, offset)
    if (kind === 'audio') continue
    offset = table.writeUInt32BE(keyframe ? SAMPLE_FLAGS.sync : SAMPLE_FLAGS.dependent, offset)
    offset = table.writeInt32BE(cts, offset)
  }
  return table
}
