import { MalformedError } from '../../errors.ts'

/** The identification header of Opus (RFC 7845 section 5.1), which Ogg, Matroska and enhanced RTMP carry. */
export type OpusHead = {
  readonly version: number
  readonly channels: number
  /** Samples of 48 kHz to drop at the start. */
  readonly preSkip: number
  /** The rate before encoding, for information only; 0 when it is not known. */
  readonly inputSampleRate: number
  /** Gain to apply when decoding, in 1/256 dB. */
  readonly outputGain: number
  readonly mappingFamily: number
  /** The mapping of channels to streams; undefined for family 0, mono and stereo. */
  readonly mapping: OpusChannelMapping | undefined
}

/** The mapping of channels to the streams of a packet (RFC 7845 section 5.1.1). */
type OpusChannelMapping = {
  readonly streamCount: number
  readonly coupledCount: number
  /** The index of a decoded channel for each output channel; 255 is silence. */
  readonly channels: readonly number[]
}

const MAGIC = Buffer.from('OpusHead')
const FIXED_SIZE_BYTES = 19
const MAPPING_OFFSET = 21
const MAX_VERSION = 15
const SILENCE = 255

/** Parses an OpusHead. @throws {MalformedError} when it ends early or breaks a rule of the RFC. */
export function parseOpusHead(head: Buffer): OpusHead {
  if (head.length < FIXED_SIZE_BYTES || !head.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new MalformedError(`no OpusHead in ${head.length} bytes`)
  }
  const version = head[8]!
  const channels = head[9]!
  const mappingFamily = head[18]!
  if (version > MAX_VERSION) throw new MalformedError(`OpusHead of version ${version}`)
  if (channels === 0 || (mappingFamily === 0 && channels > 2)) {
    throw new MalformedError(`OpusHead of family ${mappingFamily} with ${channels} channels`)
  }
  return {
    version,
    channels,
    preSkip: head.readUInt16LE(10),
    inputSampleRate: head.readUInt32LE(12),
    outputGain: head.readInt16LE(16),
    mappingFamily,
    mapping: mappingFamily === 0 ? undefined : parseMapping(head, channels),
  }
}

function parseMapping(head: Buffer, channelCount: number): OpusChannelMapping {
  if (head.length < MAPPING_OFFSET + channelCount) throw new MalformedError(`OpusHead cut off at ${head.length} bytes`)
  const streamCount = head[19]!
  const coupledCount = head[20]!
  const decoded = streamCount + coupledCount
  if (streamCount === 0 || coupledCount > streamCount || decoded > 255) {
    throw new MalformedError(`OpusHead of ${streamCount} streams, ${coupledCount} of them coupled`)
  }
  const channels = [...head.subarray(MAPPING_OFFSET, MAPPING_OFFSET + channelCount)]
  const stray = channels.find((channel) => channel >= decoded && channel !== SILENCE)
  if (stray !== undefined) throw new MalformedError(`OpusHead maps to channel ${stray} of ${decoded}`)
  return { streamCount, coupledCount, channels }
}

/** Writes the header as it lies in Ogg, with its magic (RFC 7845 section 5.1). */
export function serializeOpusHead(head: OpusHead): Buffer {
  const { mapping } = head
  const bytes = Buffer.alloc(FIXED_SIZE_BYTES)
  MAGIC.copy(bytes)
  bytes[8] = head.version
  bytes[9] = head.channels
  bytes.writeUInt16LE(head.preSkip, 10)
  bytes.writeUInt32LE(head.inputSampleRate, 12)
  bytes.writeInt16LE(head.outputGain, 16)
  bytes[18] = head.mappingFamily
  if (!mapping) return bytes
  return Buffer.concat([bytes, Buffer.from([mapping.streamCount, mapping.coupledCount, ...mapping.channels])])
}
