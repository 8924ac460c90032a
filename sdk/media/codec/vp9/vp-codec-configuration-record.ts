import { MalformedError } from '../../errors.ts'

/**
 * The content of a `vpcC` box after its version and flags (VP Codec ISO Media File Format Binding), which enhanced RTMP
 * carries as well:
 *
 *     profile (8) | level (8) | bit depth (4) | chroma subsampling (3) | full range (1)
 *     | colour primaries (8) | transfer (8) | matrix (8) | size of initialization data, 0 (16)
 */
export type VpCodecConfigurationRecord = {
  readonly profile: number
  /** Ten times the level, for example 31 for level 3.1. */
  readonly level: number
  readonly bitDepth: number
  /** 0 and 1 are 4:2:0, 2 is 4:2:2, 3 is 4:4:4. */
  readonly chromaSubsampling: number
  readonly fullRange: boolean
  /** The colour description by ISO/IEC 23091-2; 2 is unspecified. */
  readonly colourPrimaries: number
  readonly transferCharacteristics: number
  readonly matrixCoefficients: number
}

const SIZE_BYTES = 8

/** Parses a record without version and flags. @throws {MalformedError} when it ends early. */
export function parseVpCodecConfigurationRecord(record: Buffer): VpCodecConfigurationRecord {
  if (record.length < SIZE_BYTES) throw new MalformedError(`vpcC of ${record.length} bytes`)
  const [profile = 0, level = 0, format = 0, colourPrimaries = 0, transferCharacteristics = 0, matrixCoefficients = 0] =
    record
  return {
    profile,
    level,
    bitDepth: format >> 4,
    chromaSubsampling: (format >> 1) & 7,
    fullRange: (format & 1) === 1,
    colourPrimaries,
    transferCharacteristics,
    matrixCoefficients,
  }
}

export function serializeVpCodecConfigurationRecord(record: VpCodecConfigurationRecord): Buffer {
  const format = (record.bitDepth << 4) | (record.chromaSubsampling << 1) | (record.fullRange ? 1 : 0)
  const { colourPrimaries, transferCharacteristics, matrixCoefficients } = record
  const colours = [colourPrimaries, transferCharacteristics, matrixCoefficients]
  return Buffer.from([record.profile, record.level, format, ...colours, 0, 0])
}
