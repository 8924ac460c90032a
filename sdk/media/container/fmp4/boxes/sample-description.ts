import { ByteReader } from '../../../bits/byte-reader.ts'
import { parseBoxes, type Box, type ParsedBox } from '../box.ts'
import { uint16, uint32 } from './fields.ts'

/** The fields of a visual sample entry (ISO/IEC 14496-12 12.1.3) that differ. */
export type VisualSampleEntry = {
  /** The size in pixels, at most 65,535. */
  readonly width: number
  readonly height: number
}

/** The fields of an audio sample entry (12.2.3) that differ. */
export type AudioSampleEntry = {
  readonly channels: number
  /** 0 for a rate that the field has no room for, which is left to the codec's own box. */
  readonly sampleRate: number
}

const RESERVED_SIZE_BYTES = 6
const DATA_REFERENCE_INDEX = 1
const RESOLUTION_72_DPI = 0x0048_0000
const COMPRESSOR_NAME_SIZE_BYTES = 32
const DEPTH = 0x0018
const PREDEFINED = 0xffff
const SAMPLE_SIZE_BITS = 16
const MAX_SAMPLE_RATE = 0xffff
const VISUAL_SIZE_BYTES = 78
const AUDIO_SIZE_BYTES = 28
/** The size of the fields before the boxes in QuickTime's newer sound descriptions, by version. */
const QUICKTIME_SIZE_BYTES = [0, 16, 36] as const

export function serializeVisualSampleEntry(type: string, entry: VisualSampleEntry, children: readonly Box[]): Box {
  const contents = [
    Buffer.alloc(RESERVED_SIZE_BYTES),
    uint16(DATA_REFERENCE_INDEX),
    Buffer.alloc(16),
    uint16(entry.width, entry.height),
    uint32(RESOLUTION_72_DPI, RESOLUTION_72_DPI, 0),
    uint16(1),
    Buffer.alloc(COMPRESSOR_NAME_SIZE_BYTES),
    uint16(DEPTH, PREDEFINED),
  ]
  return { type, contents, children }
}

/** @throws {MalformedError} when it ends early. */
export function parseVisualSampleEntry(body: Buffer): VisualSampleEntry & { readonly boxes: readonly ParsedBox[] } {
  const fields = new ByteReader(body)
  fields.readBytes(RESERVED_SIZE_BYTES + 18)
  const [width, height] = [fields.readUint(2), fields.readUint(2)]
  return { width, height, boxes: parseBoxes(body.subarray(VISUAL_SIZE_BYTES)) }
}

export function serializeAudioSampleEntry(type: string, entry: AudioSampleEntry, children: readonly Box[]): Box {
  const { channels, sampleRate } = entry
  const contents = [
    Buffer.alloc(RESERVED_SIZE_BYTES),
    uint16(DATA_REFERENCE_INDEX),
    Buffer.alloc(8),
    uint16(channels, SAMPLE_SIZE_BITS, 0, 0),
    uint16(sampleRate > MAX_SAMPLE_RATE ? 0 : sampleRate, 0),
  ]
  return { type, contents, children }
}

/** Parses QuickTime's versions, too. @throws {MalformedError} when it ends early. */
export function parseAudioSampleEntry(body: Buffer): AudioSampleEntry & { readonly boxes: readonly ParsedBox[] } {
  const fields = new ByteReader(body)
  fields.readBytes(RESERVED_SIZE_BYTES + 2)
  const version = fields.readUint(2)
  fields.readBytes(6)
  const channels = fields.readUint(2)
  fields.readBytes(6)
  const sampleRate = fields.readUint(2)
  const sizeBytes = AUDIO_SIZE_BYTES + (QUICKTIME_SIZE_BYTES[version] ?? 0)
  return { channels, sampleRate, boxes: parseBoxes(body.subarray(sizeBytes)) }
}
