import { MalformedError } from '../../errors.ts'
import type { Av1ColorConfig } from './color-config.ts'

/** The content of an `av1C` box (AV1 Codec ISO Media File Format Binding 2.3), which enhanced RTMP carries as well. */
export type Av1CodecConfigurationRecord = {
  readonly profile: number
  readonly level: number
  readonly tier: number
  readonly color: Av1ColorConfig
  /** Frames a decoder may need before it shows the first; undefined when the record does not say. */
  readonly initialPresentationDelay: number | undefined
  /** The sequence header and perhaps metadata, as OBUs with sizes. A view. */
  readonly configObus: Buffer
}

const HEADER_SIZE_BYTES = 4
const MARKER_AND_VERSION = 0x81

/** Parses an `av1C`. @throws {MalformedError} when it ends early or is of another version. */
export function parseAv1CodecConfigurationRecord(record: Buffer): Av1CodecConfigurationRecord {
  if (record.length < HEADER_SIZE_BYTES) throw new MalformedError(`av1C of ${record.length} bytes`)
  if (record[0] !== MARKER_AND_VERSION)
    throw new MalformedError(`av1C that begins with ${record.toString('hex', 0, 1)}`)
  // seq_profile (3) | level (5), tier (1) | high_bitdepth (1) | twelve_bit (1) | monochrome (1) | x (1) | y (1) |
  // chroma_sample_position (2), reserved (3) | delay present (1) | delay - 1 (4)
  const [, levels = 0, colors = 0, delay = 0] = record
  const deepDepth = (colors & 0x20) === 0 ? 10 : 12
  return {
    profile: levels >> 5,
    level: levels & 31,
    tier: colors >> 7,
    color: {
      bitDepth: (colors & 0x40) === 0 ? 8 : deepDepth,
      monochrome: (colors & 0x10) !== 0,
      subsamplingX: (colors >> 3) & 1,
      subsamplingY: (colors >> 2) & 1,
      chromaSamplePosition: colors & 3,
    },
    initialPresentationDelay: (delay & 0x10) === 0 ? undefined : 1 + (delay & 15),
    configObus: record.subarray(HEADER_SIZE_BYTES),
  }
}

export function serializeAv1CodecConfigurationRecord(record: Av1CodecConfigurationRecord): Buffer {
  const { bitDepth, monochrome, subsamplingX, subsamplingY, chromaSamplePosition } = record.color
  const depthFlags = { 8: 0, 10: 0x40, 12: 0x60 }[bitDepth]
  const planes = (monochrome ? 0x10 : 0) | (subsamplingX << 3) | (subsamplingY << 2) | chromaSamplePosition
  const delay = record.initialPresentationDelay
  const header = [
    MARKER_AND_VERSION,
    (record.profile << 5) | record.level,
    (record.tier << 7) | depthFlags | planes,
    delay === undefined ? 0 : 0x10 | (delay - 1),
  ]
  return Buffer.concat([Buffer.from(header), record.configObus])
}
