import { fullBox, parseFullBox, type Box } from '../box.ts'
import { readUint64, uint64 } from './fields.ts'

/**
 * `tfdt` (ISO/IEC 14496-12 8.8.12) in version 1: the decoding time of a track's first sample in a fragment.
 * @throws {RangeError} for a time below 0.
 */
export function serializeTrackFragmentDecodeTime(baseDts: number): Box {
  return fullBox('tfdt', 1, 0, [uint64(baseDts)])
}

/** Parses both versions: the time has 4 bytes in version 0, 8 in version 1. @throws {MalformedError} above 2^53. */
export function parseTrackFragmentDecodeTime(body: Buffer): number {
  const { version, fields } = parseFullBox(body)
  return version === 1 ? readUint64(fields) : fields.readUint(4)
}
