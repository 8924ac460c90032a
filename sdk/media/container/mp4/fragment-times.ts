import type { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { boxSizeBytes, fullBox, parseBoxes, parseFullBox, serializeBoxes } from '../fmp4/box.ts'
import { readUint64, uint32, uint64, uint8 } from '../fmp4/boxes/fields.ts'

/** The most fragments of a track that are taken from the table: a week of them, each of two seconds. */
const MAX_ENTRIES = 300_000
/** The number of entries that are read before other work has its turn. */
const ENTRIES_PER_STEP = 1024
const MFRO_SIZE_BYTES = 16
const NUMBER_SIZES_MASK = 0x3f
/** A fragment is pointed at by its first track fragment, run and sample, in a byte each. */
const FIRST_OF_EACH = uint8(1, 1, 1)

/** The offset in the file of a fragment with a keyframe, and the keyframe's presentation time in ticks of the track. */
export type FragmentTime = { readonly time: number; readonly moofOffset: number }

/** The size of the last bytes of a file that {@link parseFragmentTableSize} looks at. */
export const FRAGMENT_TABLE_TAIL_BYTES = MFRO_SIZE_BYTES

/** The size of the `mfra` (ISO/IEC 14496-12 8.8.11) at the end of a file, by its last bytes; undefined where there is none. */
export function parseFragmentTableSize(tail: Buffer): number | undefined {
  if (tail.length < MFRO_SIZE_BYTES || tail.toString('latin1', 4, 8) !== 'mfro') return undefined
  return tail.readUInt32BE(MFRO_SIZE_BYTES - 4)
}

/** Makes an `mfra` of one track with fragments in the order of their times (ISO/IEC 14496-12 8.8.9 to 8.8.11). */
export function serializeFragmentTable(trackId: number, entries: readonly FragmentTime[]): Buffer {
  const times = entries.map(({ time, moofOffset }) => Buffer.concat([uint64(time), uint64(moofOffset), FIRST_OF_EACH]))
  const table = fullBox('tfra', 1, 0, [uint32(trackId, 0, entries.length), ...times])
  const trailerBytes = boxSizeBytes(fullBox('mfro', 0, 0, [uint32(0)]))
  const sizeBytes = boxSizeBytes({ type: 'mfra', children: [table] }) + trailerBytes
  return serializeBoxes([{ type: 'mfra', children: [table, fullBox('mfro', 0, 0, [uint32(sizeBytes)])] }])
}

/**
 * Parses an `mfra` with its head: the fragments of a track in the order of the file; undefined where it has none of it. It is a
 * generator, which yields often and returns them, as there may be many.
 * @throws {MalformedError} when it is broken
 */
export function* parseFragmentTable(bytes: Buffer, trackId: number): Generator<void, FragmentTime[] | undefined> {
  const [table] = parseBoxes(bytes)
  if (table?.type !== 'mfra') throw new MalformedError('no table of fragments')
  for (const { type, body } of parseBoxes(table.body)) {
    if (type !== 'tfra') continue
    const { version, fields } = parseFullBox(body)
    if (fields.readUint(4) !== trackId) continue
    const sizes = fields.readUint(4) & NUMBER_SIZES_MASK
    const numbersSizeBytes = 3 + (sizes >> 4) + ((sizes >> 2) & 3) + (sizes & 3)
    const count = Math.min(fields.readUint(4), MAX_ENTRIES)
    const entries: FragmentTime[] = []
    while (entries.length < count) {
      readEntries(
        fields,
        { version, numbersSizeBytes, count: Math.min(ENTRIES_PER_STEP, count - entries.length) },
        entries,
      )
      yield
    }
    return entries
  }
  return undefined
}

type EntryLayout = { readonly version: number; readonly numbersSizeBytes: number; readonly count: number }

function readEntries(
  fields: ByteReader,
  { version, numbersSizeBytes, count }: EntryLayout,
  into: FragmentTime[],
): void {
  for (let left = count; left > 0; left--) {
    const time = version === 1 ? readUint64(fields) : fields.readUint(4)
    const moofOffset = version === 1 ? readUint64(fields) : fields.readUint(4)
    into.push({ time, moofOffset })
    fields.readBytes(numbersSizeBytes)
  }
}
