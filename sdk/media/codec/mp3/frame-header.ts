import { MalformedError } from '../../errors.ts'

/**
 * The four bytes before each frame of MPEG audio (ISO/IEC 11172-3 2.4.1.3, ISO/IEC 13818-3):
 *
 *     sync (11) | version (2) | layer (2) | unprotected (1) | bitrate (4) | sample rate (2) | padding (1) | private (1)
 *     | mode (2) | mode extension (2) | copyright (1) | original (1) | emphasis (2)
 */
export type Mp3FrameHeader = {
  /** MPEG-1, MPEG-2 or, for the lowest sample rates, the unofficial 2.5. */
  readonly version: 1 | 2 | 2.5
  readonly layer: 1 | 2 | 3
  /** Bits a second. */
  readonly bitrate: number
  readonly sampleRate: number
  readonly channels: 1 | 2
  /** Size of the frame with its header. */
  readonly sizeBytes: number
  readonly samplesPerFrame: number
}

const MP3_HEADER_SIZE_BYTES = 4

const VERSIONS = [2.5, undefined, 2, 1] as const
const LAYERS = [undefined, 3, 2, 1] as const
const MPEG_1_SAMPLE_RATES = [44_100, 48_000, 32_000] as const
const SINGLE_CHANNEL = 3
// Kilobits a second by index; 0 stands for a free format: the header does not say the size of the frame.
const KILOBITS_1_1 = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448] as const
const KILOBITS_1_2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384] as const
const KILOBITS_1_3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const
const KILOBITS_2_1 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256] as const
const KILOBITS_2_23 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160] as const

/** Parses the header. @throws {MalformedError} when there is no header, or one with a reserved value or free format. */
export function parseMp3FrameHeader(frame: Buffer): Mp3FrameHeader {
  if (frame.length < MP3_HEADER_SIZE_BYTES) throw new MalformedError(`MP3 frame of ${frame.length} bytes`)
  const header = frame.readUInt32BE(0)
  const version = VERSIONS[(header >>> 19) & 3]
  const layer = LAYERS[(header >>> 17) & 3]
  const baseRate = MPEG_1_SAMPLE_RATES[(header >>> 10) & 3]
  if (header >>> 21 !== 0x7ff || !version || !layer || !baseRate) throw malformed(header)
  const kilobits = kilobitsTable(version, layer)[(header >>> 12) & 15]
  if (!kilobits) throw malformed(header)
  const bitrate = kilobits * 1000
  const sampleRate = baseRate / { 1: 1, 2: 2, 2.5: 4 }[version]
  const samplesPerFrame = samplesOf(version, layer)
  // Sizes are in slots, of 4 bytes for layer I, and padding is one slot more.
  const slotSizeBytes = layer === 1 ? 4 : 1
  const slots = Math.floor((samplesPerFrame * bitrate) / (8 * slotSizeBytes * sampleRate)) + ((header >>> 9) & 1)
  const channels = ((header >>> 6) & 3) === SINGLE_CHANNEL ? 1 : 2
  return { version, layer, bitrate, sampleRate, channels, sizeBytes: slots * slotSizeBytes, samplesPerFrame }
}

function kilobitsTable(version: Mp3FrameHeader['version'], layer: Mp3FrameHeader['layer']): readonly number[] {
  if (version === 1) return { 1: KILOBITS_1_1, 2: KILOBITS_1_2, 3: KILOBITS_1_3 }[layer]
  return layer === 1 ? KILOBITS_2_1 : KILOBITS_2_23
}

function samplesOf(version: Mp3FrameHeader['version'], layer: Mp3FrameHeader['layer']): number {
  if (layer === 1) return 384
  return layer === 3 && version !== 1 ? 576 : 1152
}

function malformed(header: number): MalformedError {
  return new MalformedError(`no MP3 frame header: ${header.toString(16).padStart(8, '0')}`)
}
