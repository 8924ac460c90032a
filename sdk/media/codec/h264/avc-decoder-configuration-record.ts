import { ByteReader } from '../../bits/byte-reader.ts'
import { MalformedError } from '../../errors.ts'
import { readParameterSets, serializeParameterSets } from '../parameter-set-list.ts'

/** The content of an `avcC` box (ISO/IEC 14496-15 5.3.3.1.2), which FLV and RTMP carry as well. */
export type AvcDecoderConfigurationRecord = {
  readonly profileIdc: number
  /** The byte of constraint flags of the SPS. */
  readonly constraintFlags: number
  readonly levelIdc: number
  /** Bytes of the length before each NAL unit in the samples: 1, 2 or 4. */
  readonly lengthSize: number
  readonly sps: readonly Buffer[]
  readonly pps: readonly Buffer[]
  /** Present with the High profiles only, and left out by many writers even then. */
  readonly chroma?: {
    readonly chromaFormatIdc: number
    readonly bitDepthLuma: number
    readonly bitDepthChroma: number
    readonly spsExtensions: readonly Buffer[]
  }
}

const MAX_AVC_SPS_COUNT = 31
const MAX_AVC_PPS_COUNT = 255

const VERSION = 1
const PROFILES_WITHOUT_CHROMA = new Set([66, 77, 88])
const CHROMA_SIZE_BYTES = 4

/**
 * Parses an `avcC`. The parameter sets are views; empty ones, which some writers produce, are dropped.
 * @throws {MalformedError} when it ends early or is of another version.
 */
export function parseAvcDecoderConfigurationRecord(record: Buffer): AvcDecoderConfigurationRecord {
  const reader = new ByteReader(record)
  const version = reader.readUint(1)
  if (version !== VERSION) throw new MalformedError(`avcC of version ${version}`)
  const profileIdc = reader.readUint(1)
  const base = {
    profileIdc,
    constraintFlags: reader.readUint(1),
    levelIdc: reader.readUint(1),
    lengthSize: 1 + (reader.readUint(1) & 3),
    sps: readParameterSets(reader, reader.readUint(1) & 31),
    pps: readParameterSets(reader, reader.readUint(1)),
  }
  if (PROFILES_WITHOUT_CHROMA.has(profileIdc) || reader.bytesLeft < CHROMA_SIZE_BYTES) return base
  const chroma = {
    chromaFormatIdc: reader.readUint(1) & 3,
    bitDepthLuma: 8 + (reader.readUint(1) & 7),
    bitDepthChroma: 8 + (reader.readUint(1) & 7),
    spsExtensions: readParameterSets(reader, reader.readUint(1)),
  }
  return { ...base, chroma }
}

/** Serializes an `avcC`. @throws {MalformedError} when a parameter set is too long, or when there are too many. */
export function serializeAvcDecoderConfigurationRecord(record: AvcDecoderConfigurationRecord): Buffer {
  const { profileIdc, constraintFlags, levelIdc, lengthSize, sps, pps, chroma } = record
  if (sps.length > MAX_AVC_SPS_COUNT) throw new MalformedError(`${sps.length} SPS, above ${MAX_AVC_SPS_COUNT}`)
  const parts: Buffer[] = [Buffer.from([VERSION, profileIdc, constraintFlags, levelIdc, 0xfc | (lengthSize - 1)])]
  parts.push(Buffer.from([0xe0 | sps.length]), ...serializeParameterSets(sps))
  parts.push(Buffer.from([checkCount(pps)]), ...serializeParameterSets(pps))
  if (chroma) {
    const { chromaFormatIdc, bitDepthLuma, bitDepthChroma, spsExtensions } = chroma
    parts.push(Buffer.from([0xfc | chromaFormatIdc, 0xf8 | (bitDepthLuma - 8), 0xf8 | (bitDepthChroma - 8)]))
    parts.push(Buffer.from([checkCount(spsExtensions)]), ...serializeParameterSets(spsExtensions))
  }
  return Buffer.concat(parts)
}

function checkCount(sets: readonly Buffer[]): number {
  if (sets.length > MAX_AVC_PPS_COUNT) throw new MalformedError(`${sets.length} PPS, above ${MAX_AVC_PPS_COUNT}`)
  return sets.length
}
