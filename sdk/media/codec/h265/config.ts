import type { VideoConfig } from '../../track.ts'
import { tryParse } from '../try-parse.ts'
import {
  parseHevcDecoderConfigurationRecord,
  serializeHevcDecoderConfigurationRecord,
} from './hevc-decoder-configuration-record.ts'
import { H265_NALU_TYPE } from './nalu-type.ts'
import { formatProfileTierLevel } from './profile-tier-level.ts'
import { parseH265Sps } from './sps.ts'

/**
 * The configuration of a track from its `hvcC`, which is kept as it is given.
 * The size is 0 when the SPS is missing or odd: decoders may still know what to do with it.
 * @throws {MalformedError} when the record itself is broken.
 */
export function h265Config(record: Buffer): VideoConfig {
  const { profileTierLevel, arrays } = parseHevcDecoderConfigurationRecord(record)
  const sps = tryParse(parseH265Sps, arrays.find((array) => array.type === H265_NALU_TYPE.SPS)?.nalus[0])
  return {
    record,
    width: sps?.width ?? 0,
    height: sps?.height ?? 0,
    codecString: `hvc1.${formatProfileTierLevel(profileTierLevel)}`,
  }
}

/**
 * The configuration of a track from its parameter sets, NAL units as they lie in the stream.
 * @throws {MalformedError} when the SPS cannot be parsed, or one is too long for a record.
 */
export function h265ConfigFromParameterSets(vps: Buffer, sps: Buffer, pps: Buffer): VideoConfig {
  const parsed = parseH265Sps(sps)
  const record = serializeHevcDecoderConfigurationRecord({
    profileTierLevel: parsed.profileTierLevel,
    minSpatialSegmentationIdc: 0,
    parallelismType: 0,
    chromaFormatIdc: parsed.chromaFormatIdc,
    bitDepthLuma: parsed.bitDepthLuma,
    bitDepthChroma: parsed.bitDepthChroma,
    avgFrameRate: 0,
    constantFrameRate: 0,
    numTemporalLayers: parsed.maxSubLayers,
    temporalIdNested: parsed.temporalIdNested,
    lengthSize: 4,
    arrays: [
      { complete: true, type: H265_NALU_TYPE.VPS, nalus: [vps] },
      { complete: true, type: H265_NALU_TYPE.SPS, nalus: [sps] },
      { complete: true, type: H265_NALU_TYPE.PPS, nalus: [pps] },
    ],
  })
  return h265Config(record)
}
