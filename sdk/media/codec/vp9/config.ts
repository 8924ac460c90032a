import type { VideoConfig } from '../../track.ts'
import { VP9_COLOR_SPACE_RGB } from './frame-header.ts'
import type { Vp9KeyframeHeader } from './frame-header.ts'
import {
  parseVpCodecConfigurationRecord,
  serializeVpCodecConfigurationRecord,
} from './vp-codec-configuration-record.ts'

const BOX_HEADER = Buffer.from([1, 0, 0, 0])
const UNSPECIFIED = 2
const BT_709 = 1
const SRGB = 13
const IDENTITY = 0

// Pixels of the largest picture by level (VP9 levels of the WebM project); the rate of frames is not known here.
const LEVELS = [
  [36_864, 10],
  [73_728, 11],
  [122_880, 20],
  [245_760, 21],
  [552_960, 30],
  [983_040, 31],
  [2_228_224, 40],
  [8_912_896, 50],
  [35_651_584, 60],
] as const
const HIGHEST_LEVEL = 62

/**
 * The configuration of a track from its `vpcC`, with or without version and flags of the box; the record comes without.
 * The size is 0, as only keyframes have it.
 * @throws {MalformedError} when the record is broken.
 */
export function vp9Config(record: Buffer): VideoConfig {
  // There is no level 0, which is the second byte, so this is no record itself.
  const bare = record.subarray(0, BOX_HEADER.length).equals(BOX_HEADER) ? record.subarray(BOX_HEADER.length) : record
  const { profile, level, bitDepth } = parseVpCodecConfigurationRecord(bare)
  const codecString = `vp09.${[profile, level, bitDepth].map((part) => String(part).padStart(2, '0')).join('.')}`
  return { record: bare, width: 0, height: 0, codecString }
}

/** The configuration of a track from a keyframe, with the lowest level that fits its size. */
export function vp9ConfigFromKeyframe(header: Vp9KeyframeHeader): VideoConfig {
  const { profile, bitDepth, fullRange, width, height, colorSpace } = header
  const rgb = colorSpace === VP9_COLOR_SPACE_RGB
  const record = serializeVpCodecConfigurationRecord({
    profile,
    level: LEVELS.find(([pixels]) => width * height <= pixels)?.[1] ?? HIGHEST_LEVEL,
    bitDepth,
    chromaSubsampling: chromaSubsamplingOf(header),
    fullRange,
    colourPrimaries: rgb ? BT_709 : UNSPECIFIED,
    transferCharacteristics: rgb ? SRGB : UNSPECIFIED,
    matrixCoefficients: rgb ? IDENTITY : UNSPECIFIED,
  })
  return { ...vp9Config(record), width, height }
}

// 4:4:0 has no number of its own, and is given that of 4:4:4.
function chromaSubsamplingOf({ subsamplingX, subsamplingY }: Vp9KeyframeHeader): number {
  if (subsamplingX === 0) return 3
  return subsamplingY === 0 ? 2 : 1
}
