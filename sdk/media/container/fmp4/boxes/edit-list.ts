import { fullBox, parseFullBox, type Box } from '../box.ts'
import { readInt32, readInt64, timeFields, timeSizeBytes, timeVersion, uint16, uint32 } from './fields.ts'

/** A piece of a track's presentation. */
export type Edit = {
  /** The duration in ticks of the movie; 0 for a piece that has no end yet. */
  readonly duration: number
  /** The start in the track's times, in ticks of the track; −1 for a piece that shows nothing. */
  readonly mediaTime: number
}

/** The most edits that are read; files for one player have far fewer. */
const MAX_EDITS = 100
const NORMAL_RATE = 1

/** `elst` (ISO/IEC 14496-12 8.6.6), which plays at the normal rate. */
export function serializeEditList(edits: readonly Edit[]): Box {
  const version = timeVersion(...edits.flatMap(({ duration, mediaTime }) => [duration, mediaTime]))
  const entries = edits.flatMap(({ duration, mediaTime }) => [
    timeFields(version, duration),
    mediaTime < 0 ? Buffer.alloc(timeSizeBytes(version), 0xff) : timeFields(version, mediaTime),
    uint16(NORMAL_RATE, 0),
  ])
  return fullBox('elst', version, 0, [uint32(edits.length), ...entries])
}

/**
 * Parses an `elst` (ISO/IEC 14496-12 8.6.6) of either version. Edits after the first {@link MAX_EDITS} are left out.
 * @throws {MalformedError} when it ends early, or has a time above 2^53.
 */
export function parseEditList(body: Buffer): Edit[] {
  const { version, fields } = parseFullBox(body)
  const readTime = version === 1 ? readInt64 : readInt32
  const count = Math.min(fields.readUint(4), MAX_EDITS)
  const edits: Edit[] = []
  while (edits.length < count) {
    edits.push({ duration: readTime(fields), mediaTime: readTime(fields) })
    fields.readUint(4)
  }
  return edits
}
