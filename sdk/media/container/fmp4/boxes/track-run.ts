import { MalformedError } from '../../../errors.ts'
import { fullBox, parseFullBox, type Box } from '../box.ts'
import { readInt32 } from './fields.ts'

/** `trun` (ISO/IEC 14496-12 8.8.8): samples with data that follow one another. */
export type TrackRun = {
  /** The start of the data, counted from the fragment's base; undefined where they follow those of the previous run. */
  readonly dataOffset: number | undefined
  readonly samples: readonly RunSample[]
}

/** One sample. Times are in ticks of the track within fMP4. */
export type RunSample = {
  readonly durationTicks: number
  readonly sizeBytes: number
  /** See {@link SAMPLE_FLAGS}. */
  readonly flags: number
  /** Presentation less decoding time; may be negative. */
  readonly cts: number
}

/** The values of samples for which a run has none. */
export type SampleDefaults = Omit<RunSample, 'cts'>

/** A sample that decoding can start at, and one that depends on others (8.8.3.1). */
export const SAMPLE_FLAGS = { sync: 0x0200_0000, dependent: 0x0101_0000 } as const

/** A flag of samples that decoding can't start at. */
const NOT_SYNC = 0x01_0000

/** Returns true when decoding can start at a sample. */
export function isSyncSample({ flags }: Pick<RunSample, 'flags'>): boolean {
  return (flags & NOT_SYNC) === 0
}

/** The fields that a run can have for each sample. */
export const RUN_FIELD = { duration: 0x100, size: 0x200, flags: 0x400, cts: 0x800 } as const

/** An hour of video at 25 frames a second. */
export const MAX_SAMPLES_PER_FRAGMENT = 100_000

const DATA_OFFSET = 0x1
const FIRST_SAMPLE_FLAGS = 0x4
const SIGNED_OFFSETS_VERSION = 1
const FULL_BOX_SIZE_BYTES = 12
const FIELD_SIZE_BYTES = 4
const FIELDS = Object.values(RUN_FIELD)

/** @param fields Which of {@link RUN_FIELD}, added up, are written of each sample. */
export function serializeTrackRun({ dataOffset, samples }: TrackRun, fields: number): Box {
  const headSizeBytes = dataOffset === undefined ? FIELD_SIZE_BYTES : 2 * FIELD_SIZE_BYTES
  const table = Buffer.allocUnsafe(headSizeBytes + samples.length * sampleSizeBytes(fields))
  let offset = table.writeUInt32BE(samples.length, 0)
  if (dataOffset !== undefined) offset = table.writeInt32BE(dataOffset, offset)
  for (const { durationTicks, sizeBytes, flags, cts } of samples) {
    if ((fields & RUN_FIELD.duration) !== 0) offset = table.writeUInt32BE(durationTicks, offset)
    if ((fields & RUN_FIELD.size) !== 0) offset = table.writeUInt32BE(sizeBytes, offset)
    if ((fields & RUN_FIELD.flags) !== 0) offset = table.writeUInt32BE(flags, offset)
    if ((fields & RUN_FIELD.cts) !== 0) offset = table.writeInt32BE(cts, offset)
  }
  return fullBox('trun', SIGNED_OFFSETS_VERSION, fields | (dataOffset === undefined ? 0 : DATA_OFFSET), [table])
}

/** The size of the box of a run that has a data offset. */
export function trackRunSizeBytes(sampleCount: number, fields: number): number {
  return FULL_BOX_SIZE_BYTES + 2 * FIELD_SIZE_BYTES + sampleCount * sampleSizeBytes(fields)
}

function sampleSizeBytes(fields: number): number {
  let sizeBytes = 0
  for (const field of FIELDS) if ((fields & field) !== 0) sizeBytes += FIELD_SIZE_BYTES
  return sizeBytes
}

/**
 * Parses both versions. Composition offsets are taken as signed in version 0, too, as some write them so.
 * @throws {MalformedError} when it ends early, or has more than {@link MAX_SAMPLES_PER_FRAGMENT} samples.
 */
export function parseTrackRun(body: Buffer, defaults: SampleDefaults): TrackRun {
  const { flags: present, fields } = parseFullBox(body)
  const count = fields.readUint(4)
  if (count > MAX_SAMPLES_PER_FRAGMENT) throw new MalformedError(`run of ${count} samples`)
  const dataOffset = (present & DATA_OFFSET) !== 0 ? readInt32(fields) : undefined
  let firstFlags = (present & FIRST_SAMPLE_FLAGS) !== 0 ? fields.readUint(4) : undefined
  const samples: RunSample[] = []
  for (let index = 0; index < count; index++) {
    const durationTicks = (present & RUN_FIELD.duration) !== 0 ? fields.readUint(4) : defaults.durationTicks
    const sizeBytes = (present & RUN_FIELD.size) !== 0 ? fields.readUint(4) : defaults.sizeBytes
    const flags = (present & RUN_FIELD.flags) !== 0 ? fields.readUint(4) : (firstFlags ?? defaults.flags)
    firstFlags = undefined
    const cts = (present & RUN_FIELD.cts) !== 0 ? readInt32(fields) : 0
    samples.push({ durationTicks, sizeBytes, flags, cts })
  }
  return { dataOffset, samples }
}
