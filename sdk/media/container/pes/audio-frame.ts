import { parseAdtsHeader } from '../../codec/aac/adts.ts'
import { aacConfigFromAdts } from '../../codec/aac/config.ts'
import { ac3Config } from '../../codec/ac3/config.ts'
import { parseAc3SyncFrame } from '../../codec/ac3/sync-frame.ts'
import { mp3Config } from '../../codec/mp3/config.ts'
import { parseMp3FrameHeader } from '../../codec/mp3/frame-header.ts'
import type { AudioConfig } from '../../track.ts'

const AAC_FRAME_SAMPLES = 1024

/** The codecs with frames that begin with a sync word. */
export type SyncedAudioCodec = 'aac' | 'mp3' | 'ac3' | 'eac3'

/** One frame of a byte stream. */
export type AudioFrame = {
  /** Size of the header before the data of a unit; 0 where units have the whole frame. */
  readonly headerSizeBytes: number
  /** Size of the frame with its header. */
  readonly sizeBytes: number
  readonly samples: number
  readonly sampleRate: number
  /** The frame adds channels to the one before it, and belongs to the same unit. */
  readonly dependent: boolean
  /** A text that is the same for all frames of one configuration. */
  readonly format: string
}

/** The first byte of the sync word of each codec. */
export const AUDIO_SYNC = { aac: 0xff, mp3: 0xff, ac3: 0x0b, eac3: 0x0b } as const

/** The bytes of a frame that are needed to read its header. */
const HEADER_SIZE_BYTES = { aac: 7, mp3: 4, ac3: 8, eac3: 8 } as const

/**
 * Reads the start of a frame; null when more bytes are needed for that.
 * @throws {MalformedError} when no frame begins here.
 */
export function readAudioFrame(codec: SyncedAudioCodec, bytes: Buffer, offset: number): AudioFrame | null {
  if (bytes.length - offset < HEADER_SIZE_BYTES[codec]) return null
  return codec === 'aac' ? readAdts(bytes, offset) : readSelfDescribing(codec, bytes.subarray(offset))
}

/** The configuration that a whole frame shows. @throws {MalformedError} when the frame is broken. */
export function audioFrameConfig(codec: SyncedAudioCodec, frame: Buffer): AudioConfig {
  if (codec === 'aac') return aacConfigFromAdts(parseAdtsHeader(frame)!)
  return codec === 'mp3' ? mp3Config(frame) : ac3Config(codec, frame)
}

function readAdts(bytes: Buffer, offset: number): AudioFrame | null {
  const header = parseAdtsHeader(bytes, offset)
  if (!header) return null
  const { headerSizeBytes, frameSizeBytes: sizeBytes, objectType, sampleRate, channelConfiguration } = header
  const format = `${objectType}/${sampleRate}/${channelConfiguration}`
  return { headerSizeBytes, sizeBytes, samples: AAC_FRAME_SAMPLES, sampleRate, dependent: false, format }
}

function readSelfDescribing(codec: 'mp3' | 'ac3' | 'eac3', bytes: Buffer): AudioFrame {
  if (codec === 'mp3') {
    const { sizeBytes, samplesPerFrame: samples, sampleRate, channels, version } = parseMp3FrameHeader(bytes)
    const format = `${version}/${sampleRate}/${channels}`
    return { headerSizeBytes: 0, sizeBytes, samples, sampleRate, dependent: false, format }
  }
  const frame = parseAc3SyncFrame(bytes)
  const { sizeBytes, samplesPerFrame: samples, sampleRate, channels } = frame
  const dependent = !frame.independent || frame.substreamId > 0
  return { headerSizeBytes: 0, sizeBytes, samples, sampleRate, dependent, format: `${sampleRate}/${channels}` }
}
