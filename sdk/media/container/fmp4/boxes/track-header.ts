import { fullBox, parseFullBox, type Box } from '../box.ts'
import { FIXED_ONE, timeFields, timeSizeBytes, timeVersion, uint16, uint32, UNITY_MATRIX } from './fields.ts'

/** `tkhd` (ISO/IEC 14496-12 8.3.2), as far as media need it. */
export type TrackHeader = {
  readonly trackId: number
  readonly kind: 'video' | 'audio'
  /** The size in pixels; 0 for audio. */
  readonly width: number
  readonly height: number
}

const ENABLED_IN_MOVIE_AND_PREVIEW = 7
const FULL_VOLUME = 0x0100
/** Reserved fields, layer and alternate group before the volume. */
const GROUP_SIZE_BYTES = 12

/**
 * Serializes a `tkhd`. Width and height must be below 65,536.
 * @param durationTicks of all samples in its `moov`, in ticks of the movie
 */
export function serializeTrackHeader({ trackId, kind, width, height }: TrackHeader, durationTicks = 0): Box {
  const version = timeVersion(durationTicks)
  return fullBox('tkhd', version, ENABLED_IN_MOVIE_AND_PREVIEW, [
    timeFields(version, 0, 0),
    uint32(trackId, 0),
    timeFields(version, durationTicks),
    Buffer.alloc(GROUP_SIZE_BYTES),
    uint16(kind === 'audio' ? FULL_VOLUME : 0, 0),
    UNITY_MATRIX,
    uint32(width * FIXED_ONE, height * FIXED_ONE),
  ])
}

/** @throws {MalformedError} when it ends early. */
export function parseTrackHeader(body: Buffer): TrackHeader {
  const { version, fields } = parseFullBox(body)
  fields.readBytes(2 * timeSizeBytes(version))
  const trackId = fields.readUint(4)
  fields.readBytes(4 + timeSizeBytes(version) + GROUP_SIZE_BYTES)
  const kind = fields.readUint(2) > 0 ? 'audio' : 'video'
  fields.readBytes(2 + UNITY_MATRIX.length)
  return { trackId, kind, width: fields.readUint(4) / FIXED_ONE, height: fields.readUint(4) / FIXED_ONE }
}
