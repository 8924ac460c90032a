import { AccessUnit } from '../../access-unit.ts'
import { isAv1Keyframe } from '../../codec/av1/keyframe.ts'
import { isH264RandomAccess } from '../../codec/h264/nalu-type.ts'
import { isH265RandomAccess } from '../../codec/h265/nalu-type.ts'
import { isLengthPrefixed, recoverNalus } from '../../codec/recovered-nalus.ts'
import { parseVp9FrameHeader } from '../../codec/vp9/frame-header.ts'
import type { Track } from '../../track.ts'
import type { EntryFormat } from './sample-entry.ts'

/**
 * Makes a unit of a sample, and keeps the bytes of the sample.
 * @param format the format of the track's sample entry
 * @throws {MalformedError} when it is not what the codec has
 */
export function sampleUnit(track: Track, format: EntryFormat, dts: number, pts: number, data: Buffer): AccessUnit {
  if (format.kind !== 'video') return AccessUnit.fromData(track, dts, pts, true, data)
  switch (format.codec) {
    case 'h264':
    case 'h265': {
      const nalus = recoverNalus(data, format.lengthSize)
      const keyframe = format.codec === 'h264' ? isH264RandomAccess(nalus) : isH265RandomAccess(nalus)
      if (format.lengthSize !== 4 || !isLengthPrefixed(data))
        return AccessUnit.fromNalus(track, dts, pts, keyframe, nalus)
      return AccessUnit.fromData(track, dts, pts, keyframe, data)
    }
    case 'av1':
      return AccessUnit.fromData(track, dts, pts, isAv1Keyframe(data), data)
    default:
      return AccessUnit.fromData(track, dts, pts, parseVp9FrameHeader(data).keyframe, data)
  }
}
