import {
  AccessUnit,
  H264_NALU_TYPE,
  h264NaluType,
  h265NaluType,
  MalformedError,
  MAX_ACCESS_UNIT_SIZE_BYTES,
  MAX_NALUS_PER_ACCESS_UNIT,
  serializeH264Sei,
  serializeH265Sei,
  type SeiMessage,
  type Track,
  type VideoTrack,
} from 'sluice/sdk/media'

/** A track with pictures that can carry SEI messages. */
export type SeiTrack = VideoTrack & { readonly codec: 'h264' | 'h265' }

/** True when the pictures of a track can carry SEI messages: H.264 and H.265. */
export function canCarrySei(track: Track): track is SeiTrack {
  return track.kind === 'video' && (track.codec === 'h264' || track.codec === 'h265')
}

/** The size of the start code or length before a NAL unit. */
const NALU_PREFIX_BYTES = 4
/** NAL units of slices are of the types 1 to 5 (ISO/IEC 14496-10 table 7-1)… */
const { SLICE: H264_FIRST_SLICE, IDR: H264_LAST_SLICE } = H264_NALU_TYPE
/** …before each of them, in a scalable stream, there is a prefix of this type (H.7.4.1.2.3). */
const H264_PREFIX = 14
/** NAL units of slices are of the types 0 to 31 (ISO/IEC 23008-2 table 7-1). */
const H265_LAST_SLICE = 31

/**
 * The unit as one of `track`, with the messages in one SEI NAL unit right before its first slice, after its delimiter, parameter sets and
 * own SEI messages. The other NAL units keep the same bytes.
 * @returns undefined when there is no slice, or no room
 */
export function unitWithSei(
  unit: AccessUnit,
  track: SeiTrack,
  messages: readonly SeiMessage[],
): AccessUnit | undefined {
  const nalus = nalusOf(unit)
  const place = nalus.findIndex(track.codec === 'h264' ? beginsH264Picture : beginsH265Picture)
  const slice = nalus[place]
  if (slice === undefined || nalus.length >= MAX_NALUS_PER_ACCESS_UNIT) return undefined
  const sei = track.codec === 'h264' ? serializeH264Sei(messages) : serializeH265Sei(messages, slice[1])
  const sizeBytes = unit.sizeBytes + sei.length + NALU_PREFIX_BYTES * (nalus.length + 1)
  if (sizeBytes > MAX_ACCESS_UNIT_SIZE_BYTES) return undefined
  const all = nalus.toSpliced(place, 0, sei)
  return AccessUnit.fromNalus(track, unit.dts, unit.pts, unit.keyframe, all, unit.ntpMs)
}

function beginsH264Picture(nalu: Buffer): boolean {
  const type = h264NaluType(nalu)
  return (type >= H264_FIRST_SLICE && type <= H264_LAST_SLICE) || type === H264_PREFIX
}

function beginsH265Picture(nalu: Buffer): boolean {
  return h265NaluType(nalu) <= H265_LAST_SLICE
}

/** The NAL units; none for a malformed unit, which goes on unchanged. */
function nalusOf(unit: AccessUnit): readonly Buffer[] {
  try {
    return unit.nalus
  } catch (error) {
    if (error instanceof MalformedError) return []
    throw error
  }
}
