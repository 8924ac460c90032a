import { MalformedError } from '../../errors.ts'
import { AAC_SAMPLE_RATES, sampleRateOf } from './sampling-frequency.ts'

/**
 * The header before each AAC frame of a byte stream (ISO/IEC 14496-3 1.A.2.2), 7 bytes or, with a checksum, 9:
 *
 *     syncword (12) | ID (1) | layer (2) | protection_absent (1) | profile (2) | sampling_frequency_index (4)
 *     | private (1) | channel_configuration (3) | original, home, copyright bits (4) | frame length (13)
 *     | buffer fullness (11) | number of raw data blocks - 1 (2) | crc (16, if protected)
 */
export type AdtsHeader = AdtsFormat & {
  readonly headerSizeBytes: number
  /** Size of the frame with its header. */
  readonly frameSizeBytes: number
}

/** The fields that are the same in all frames of a track. */
export type AdtsFormat = {
  /** Audio object type, 1 to 4: 2 is AAC-LC. */
  readonly objectType: number
  /** Samples a second, one of `AAC_SAMPLE_RATES`. */
  readonly sampleRate: number
  /** 1 to 7 name a layout; with 0, the frames describe it themselves. */
  readonly channelConfiguration: number
}

export type AdtsFrame = AdtsFormat & {
  /** The raw frame, as MP4 and FLV carry it. A view. */
  readonly data: Buffer
}

const ADTS_HEADER_SIZE_BYTES = 7
const MAX_ADTS_FRAME_SIZE_BYTES = 0x1fff

const CRC_SIZE_BYTES = 2
const VARIABLE_BITRATE = 0x7ff

/**
 * Parses the header at `offset`; null when fewer than 7 bytes are there.
 * @throws {MalformedError} when there is no header, or the frame has several raw data blocks: only a decoder finds where
 * one ends.
 */
export function parseAdtsHeader(bytes: Buffer, offset = 0): AdtsHeader | null {
  if (bytes.length - offset < ADTS_HEADER_SIZE_BYTES) return null
  const sync = bytes.readUInt16BE(offset)
  if ((sync & 0xfff6) !== 0xfff0) throw new MalformedError(`no ADTS syncword at byte ${offset}: ${sync.toString(16)}`)
  const fields = bytes.readUInt32BE(offset + 2)
  const headerSizeBytes = ADTS_HEADER_SIZE_BYTES + ((sync & 1) === 0 ? CRC_SIZE_BYTES : 0)
  const frameSizeBytes = (fields >>> 5) & MAX_ADTS_FRAME_SIZE_BYTES
  if (frameSizeBytes < headerSizeBytes) throw new MalformedError(`ADTS frame of ${frameSizeBytes} bytes at ${offset}`)
  const blocks = 1 + (bytes[offset + 6]! & 3)
  if (blocks > 1) throw new MalformedError(`ADTS frame of ${blocks} raw data blocks at byte ${offset}`)
  return {
    objectType: 1 + (fields >>> 30),
    sampleRate: sampleRateOf((fields >>> 26) & 15),
    channelConfiguration: (fields >>> 22) & 7,
    headerSizeBytes,
    frameSizeBytes,
  }
}

/**
 * Serializes a header without checksum, of 7 bytes, to go before a raw frame.
 * @throws {MalformedError} for what the header has no room for.
 */
export function serializeAdtsHeader(format: AdtsFormat, dataSizeBytes: number): Buffer {
  const { objectType, sampleRate, channelConfiguration } = format
  const index = AAC_SAMPLE_RATES.indexOf(sampleRate)
  const frameSizeBytes = ADTS_HEADER_SIZE_BYTES + dataSizeBytes
  if (objectType < 1 || objectType > 4) throw new MalformedError(`audio object type ${objectType} does not fit ADTS`)
  if (index < 0) throw new MalformedError(`sampling frequency ${sampleRate} does not fit ADTS`)
  if (channelConfiguration > 7) throw new MalformedError(`channel layout ${channelConfiguration} does not fit ADTS`)
  if (frameSizeBytes > MAX_ADTS_FRAME_SIZE_BYTES) throw new MalformedError(`${dataSizeBytes} bytes do not fit ADTS`)
  const bytes = Buffer.allocUnsafe(ADTS_HEADER_SIZE_BYTES)
  bytes.writeUInt16BE(0xfff1, 0)
  const fields = ((objectType - 1) << 30) | (index << 26) | (channelConfiguration << 22) | (frameSizeBytes << 5)
  bytes.writeInt32BE(fields | (VARIABLE_BITRATE >> 6), 2)
  bytes[6] = (VARIABLE_BITRATE << 2) & 0xff
  return bytes
}

/**
 * Cuts a byte stream into frames. `rest` is the start of a frame that goes on in bytes still to come.
 * Both are views; empty frames are dropped.
 * @throws {MalformedError} when a frame does not begin where the one before ends.
 */
export function splitAdts(bytes: Buffer): { frames: AdtsFrame[]; rest: Buffer } {
  const frames: AdtsFrame[] = []
  let offset = 0
  for (;;) {
    const header = parseAdtsHeader(bytes, offset)
    if (!header || header.frameSizeBytes > bytes.length - offset) return { frames, rest: bytes.subarray(offset) }
    const { objectType, sampleRate, channelConfiguration, headerSizeBytes, frameSizeBytes } = header
    const data = bytes.subarray(offset + headerSizeBytes, offset + frameSizeBytes)
    if (data.length > 0) frames.push({ objectType, sampleRate, channelConfiguration, data })
    offset += frameSizeBytes
  }
}
