import { BitReader } from '../../bits/bit-reader.ts'
import { BitWriter } from '../../bits/bit-writer.ts'
import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { readParameterSets, serializeParameterSets } from '../parameter-set-list.ts'
import { readGeneralProfileTierLevel } from './profile-tier-level.ts'
import type { H265ProfileTierLevel } from './profile-tier-level.ts'

/** The content of an `hvcC` box (ISO/IEC 14496-15 8.3.3.1.2), which enhanced FLV and RTMP carry as well. */
export type HevcDecoderConfigurationRecord = {
  readonly profileTierLevel: H265ProfileTierLevel
  readonly minSpatialSegmentationIdc: number
  readonly parallelismType: number
  readonly chromaFormatIdc: number
  readonly bitDepthLuma: number
  readonly bitDepthChroma: number
  /** Frames in 256 seconds; 0 when it is not known. */
  readonly avgFrameRate: number
  readonly constantFrameRate: number
  readonly numTemporalLayers: number
  readonly temporalIdNested: boolean
  /** Bytes of the length before each NAL unit in the samples: 1, 2 or 4. */
  readonly lengthSize: number
  readonly arrays: readonly HevcNaluArray[]
}

/** NAL units of one type: parameter sets or SEI. */
type HevcNaluArray = {
  /** True when the stream itself has no others of this type. */
  readonly complete: boolean
  readonly type: number
  readonly nalus: readonly Buffer[]
}

const MAX_HEVC_ARRAY_COUNT = 255
const MAX_HEVC_NALUS_PER_ARRAY = 0xffff

const HEADER_SIZE_BYTES = 23
const VERSION = 1

/**
 * Parses an `hvcC`. The NAL units are views; empty ones are dropped.
 * @throws {MalformedError} when it ends early or is of another version.
 */
export function parseHevcDecoderConfigurationRecord(record: Buffer): HevcDecoderConfigurationRecord {
  const reader = new ByteReader(record)
  const bits = new BitReader(reader.readBytes(HEADER_SIZE_BYTES))
  const version = bits.readBits(8)
  // Writers from before the standard was final put 0.
  if (version > VERSION) throw new MalformedError(`hvcC of version ${version}`)
  const profileTierLevel = readGeneralProfileTierLevel(bits)
  const header = {
    profileTierLevel,
    minSpatialSegmentationIdc: bits.readBits(16) & 0xfff,
    parallelismType: bits.readBits(8) & 3,
    chromaFormatIdc: bits.readBits(8) & 3,
    bitDepthLuma: 8 + (bits.readBits(8) & 7),
    bitDepthChroma: 8 + (bits.readBits(8) & 7),
    avgFrameRate: bits.readBits(16),
    constantFrameRate: bits.readBits(2),
    numTemporalLayers: bits.readBits(3),
    temporalIdNested: bits.readFlag(),
    lengthSize: 1 + bits.readBits(2),
  }
  const arrays: HevcNaluArray[] = []
  for (let left = bits.readBits(8); left > 0; left--) arrays.push(readArray(reader))
  return { ...header, arrays }
}

function readArray(reader: ByteReader): HevcNaluArray {
  const head = reader.readUint(1)
  const nalus = readParameterSets(reader, reader.readUint(2))
  return { complete: (head & 0x80) !== 0, type: head & 0x3f, nalus }
}

/** Serializes an `hvcC`. @throws {MalformedError} when a NAL unit is too long, or when there are too many. */
export function serializeHevcDecoderConfigurationRecord(record: HevcDecoderConfigurationRecord): Buffer {
  const { profileTierLevel: ptl, arrays } = record
  if (arrays.length > MAX_HEVC_ARRAY_COUNT) throw new MalformedError(`hvcC of ${arrays.length} arrays`)
  const bits = new BitWriter()
  bits.writeBits(VERSION, 8)
  bits.writeBits(ptl.profileSpace, 2)
  bits.writeBits(ptl.tierFlag, 1)
  bits.writeBits(ptl.profileIdc, 5)
  bits.writeBits(ptl.profileCompatibilityFlags, 32)
  bits.writeBits(Math.floor(ptl.constraintFlags / 2 ** 32), 16)
  bits.writeBits(ptl.constraintFlags % 2 ** 32, 32)
  bits.writeBits(ptl.levelIdc, 8)
  bits.writeBits(0xf000 | record.minSpatialSegmentationIdc, 16)
  bits.writeBits(0xfc | record.parallelismType, 8)
  bits.writeBits(0xfc | record.chromaFormatIdc, 8)
  bits.writeBits(0xf8 | (record.bitDepthLuma - 8), 8)
  bits.writeBits(0xf8 | (record.bitDepthChroma - 8), 8)
  bits.writeBits(record.avgFrameRate, 16)
  bits.writeBits(record.constantFrameRate, 2)
  bits.writeBits(record.numTemporalLayers, 3)
  bits.writeFlag(record.temporalIdNested)
  bits.writeBits(record.lengthSize - 1, 2)
  bits.writeBits(arrays.length, 8)
  return Buffer.concat([bits.toBuffer(), ...arrays.flatMap(serializeArray)])
}

function serializeArray({ complete, type, nalus }: HevcNaluArray): Buffer[] {
  if (nalus.length > MAX_HEVC_NALUS_PER_ARRAY) throw new MalformedError(`hvcC array of ${nalus.length} NAL units`)
  const head = Buffer.from([(complete ? 0x80 : 0) | type, nalus.length >> 8, nalus.length & 0xff])
  return [head, ...serializeParameterSets(nalus)]
}
