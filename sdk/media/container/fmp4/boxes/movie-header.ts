import { fullBox, parseFullBox, type Box } from '../box.ts'
import { FIXED_ONE, timeFields, timeSizeBytes, timeVersion, uint16, uint32, UNITY_MATRIX } from './fields.ts'

/** `mvhd` (ISO/IEC 14496-12 8.2.2), as far as media need it. */
export type MovieHeader = {
  /** Ticks a second of the movie's own times, such as those in edit lists. */
  readonly timescale: number
  /** Above the number of any track. */
  readonly nextTrackId: number
}

const FULL_VOLUME = 0x0100
/** The fields between the matrix and the next track's number. */
const PREDEFINED_SIZE_BYTES = 24
/** Rate, volume and reserved fields before the matrix. */
const PLAYBACK_SIZE_BYTES = 16

/** @param durationTicks of all samples in its `moov`, in ticks of the movie */
export function serializeMovieHeader({ timescale, nextTrackId }: MovieHeader, durationTicks = 0): Box {
  const version = timeVersion(durationTicks)
  return fullBox('mvhd', version, 0, [
    timeFields(version, 0, 0),
    uint32(timescale),
    timeFields(version, durationTicks),
    uint32(FIXED_ONE),
    uint16(FULL_VOLUME),
    Buffer.alloc(10),
    UNITY_MATRIX,
    Buffer.alloc(PREDEFINED_SIZE_BYTES),
    uint32(nextTrackId),
  ])
}

/** @throws {MalformedError} when it ends early. */
export function parseMovieHeader(body: Buffer): MovieHeader {
  const { version, fields } = parseFullBox(body)
  fields.readBytes(2 * timeSizeBytes(version))
  const timescale = fields.readUint(4)
  fields.readBytes(timeSizeBytes(version) + PLAYBACK_SIZE_BYTES + UNITY_MATRIX.length + PREDEFINED_SIZE_BYTES)
  return { timescale, nextTrackId: fields.readUint(4) }
}
