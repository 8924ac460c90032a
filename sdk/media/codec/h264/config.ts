import { MalformedError } from '../../errors.ts'
import type { VideoConfig } from '../../track.ts'
import { tryParse } from '../try-parse.ts'
import {
  parseAvcDecoderConfigurationRecord,
  serializeAvcDecoderConfigurationRecord,
} from './avc-decoder-configuration-record.ts'
import type { AvcDecoderConfigurationRecord } from './avc-decoder-configuration-record.ts'
import type { H264Sps } from './sps.ts'
import { parseH264Sps } from './sps.ts'

const PROFILES_WITH_CHROMA = new Set([100, 110, 122, 144, 244])

/**
 * The configuration of a track from its `avcC`, which is kept as it is given.
 * The size is 0 when the SPS is missing or odd: decoders may still know what to do with it.
 * @throws {MalformedError} when the record itself is broken.
 */
export function h264Config(record: Buffer): VideoConfig {
  const { profileIdc, constraintFlags, levelIdc, sps } = parseAvcDecoderConfigurationRecord(record)
  const first = tryParse(parseH264Sps, sps[0])
  const profile = Buffer.from([profileIdc, constraintFlags, levelIdc])
  return {
    record,
    width: first?.width ?? 0,
    height: first?.height ?? 0,
    codecString: `avc1.${profile.toString('hex')}`,
  }
}

/**
 * The configuration of a track from its parameter sets, NAL units as they lie in the stream.
 * @throws {MalformedError} when the SPS is too short to tell the profile, or one is too long for a record.
 */
export function h264ConfigFromParameterSets(sps: Buffer, pps: Buffer): VideoConfig {
  if (sps.length < 4) throw new MalformedError(`SPS of ${sps.length} bytes`)
  const profileIdc = sps[1]!
  const parsed = tryParse(parseH264Sps, sps)
  const base = { profileIdc, constraintFlags: sps[2]!, levelIdc: sps[3]!, lengthSize: 4, sps: [sps], pps: [pps] }
  const record: AvcDecoderConfigurationRecord =
    parsed && PROFILES_WITH_CHROMA.has(profileIdc)
      ? { ...base, chroma: { ...chromaOf(parsed), spsExtensions: [] } }
      : base
  return h264Config(serializeAvcDecoderConfigurationRecord(record))
}

function chromaOf({ chromaFormatIdc, bitDepthLuma, bitDepthChroma }: H264Sps) {
  return { chromaFormatIdc, bitDepthLuma, bitDepthChroma }
}
