import { MalformedError } from '../../errors.ts'
import { parseBoxes, parseFullBox } from '../fmp4/box.ts'
import { readUint64 } from '../fmp4/boxes/fields.ts'

/** How many fragments of a track are taken from the table: a week of them, each of two seconds. */
const MAX_ENTRIES = 300_000
const MFRO_SIZE_BYTES = 16
const NUMBER_SIZES_MASK = 0x3f

/** Where a fragment with a keyframe lies in the file, and when that is presented, in ticks of the track. */
export type FragmentTime = { readonly time: number; readonly moofOffset: number }

/** The size of the last bytes of a file that {@link parseFragmentTableSize} looks at. */
export const FRAGMENT_TABLE_TAIL_BYTES = MFRO_SIZE_BYTES

/** The size of the `mfra` (ISO/IEC 14496-12 8.8.11) at the end of a file, by its last bytes; undefined where there is none. */
export function parseFragmentTableSize(tail: Buffer): number | undefined {
  if (tail.length < MFRO_SIZE_BYTES || tail.toString('latin1', 4, 8) !== 'mfro') return undefined
  return tail.readUInt32BE(MFRO_SIZE_BYTES - 4)
}

/**
 * Parses an `mfra` with its head: the fragments of each track in the order of the file, by the number of the track.
 * @throws {MalformedError} when it is broken
 */
export function parseFragmentTable(bytes: Buffer): ReadonlyMap<number, readonly FragmentTime[]> {
  const [table] = parseBoxes(bytes)
  if (table?.type !== 'mfra') throw new MalformedError('no table of fragments')
  const tracks = new Map<number, FragmentTime[]>()
  for (const { type, body } of parseBoxes(table.body)) {
    if (type !== 'tfra') continue
    const { version, fields } = parseFullBox(body)
    const trackId = fields.readUint(4)
    const sizes = fields.readUint(4) & NUMBER_SIZES_MASK
    const numbersSizeBytes = 3 + (sizes >> 4) + ((sizes >> 2) & 3) + (sizes & 3)
    const count = Math.min(fields.readUint(4), MAX_ENTRIES)
    const read = version === 1 ? readUint64 : () => fields.readUint(4)
    const entries: FragmentTime[] = []
    for (let index = 0; index < count; index++) {
      entries.push({ time: read(fields), moofOffset: read(fields) })
      fields.readBytes(numbersSizeBytes)
    }
    tracks.set(trackId, entries)
  }
  return tracks
}
