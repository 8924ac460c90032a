import type { AccessUnit } from '../../access-unit.ts'
import { parseAvcDecoderConfigurationRecord } from '../../codec/h264/avc-decoder-configuration-record.ts'
import { H264_NALU_TYPE, h264NaluType } from '../../codec/h264/nalu-type.ts'
import { parseHevcDecoderConfigurationRecord } from '../../codec/h265/hevc-decoder-configuration-record.ts'
import { H265_NALU_TYPE, h265NaluType } from '../../codec/h265/nalu-type.ts'
import { joinAnnexB } from '../../codec/nalu.ts'
import type { Track, VideoTrack } from '../../track.ts'

/** The bytes of a unit as the elementary stream has them: pieces that follow each other, to be copied once. */
export type UnitPieces = (unit: AccessUnit) => Buffer[]

const START_CODE = Buffer.from([0, 0, 0, 1])

/** Delimiters that allow any slice type (ISO/IEC 14496-10 7.3.2.4), any picture type (ISO/IEC 23008-2 7.3.2.5). */
const DELIMITER = { h264: Buffer.from('09f0', 'hex'), h265: Buffer.from('460150', 'hex') } as const

/** A track with units that have a byte stream form (Annex B of ISO/IEC 14496-10 and 23008-2). */
export type AnnexBTrack = VideoTrack & { readonly codec: keyof typeof DELIMITER }

/** Returns true when units of a track have a byte stream form: H.264 and H.265. */
export function canCarryInAnnexB(track: Track): track is AnnexBTrack {
  return track.kind === 'video' && track.codec in DELIMITER
}

/**
 * Returns how the units of a track are written as long as its configuration stays: with start codes, a delimiter first, and
 * parameter sets before keyframes that have none of their own.
 * @throws {MalformedError} when the configuration is broken.
 */
export function annexBPiecesOf(track: AnnexBTrack): UnitPieces {
  const h264 = track.codec === 'h264'
  const typeOf = h264 ? h264NaluType : h265NaluType
  const { ACCESS_UNIT_DELIMITER, SPS } = h264 ? H264_NALU_TYPE : H265_NALU_TYPE
  const delimiter = DELIMITER[track.codec]
  const head = joinAnnexB([delimiter])
  const keyframeHead = joinAnnexB([delimiter, ...parameterSets(track)])
  return ({ keyframe, nalus }) => {
    const pieces = [keyframe ? keyframeHead : head]
    for (const nalu of nalus) {
      const type = typeOf(nalu)
      if (type === ACCESS_UNIT_DELIMITER) continue
      // The parameter sets within the unit hold then.
      if (type === SPS) pieces[0] = head
      pieces.push(START_CODE, nalu)
    }
    return pieces
  }
}

function parameterSets({ codec, config }: AnnexBTrack): Buffer[] {
  if (codec === 'h264') {
    const { sps, pps } = parseAvcDecoderConfigurationRecord(config.record)
    return [...sps, ...pps]
  }
  const { arrays } = parseHevcDecoderConfigurationRecord(config.record)
  const types = [H265_NALU_TYPE.VPS, H265_NALU_TYPE.SPS, H265_NALU_TYPE.PPS]
  return types.flatMap((type) => arrays.filter((array) => array.type === type).flatMap(({ nalus }) => nalus))
}
