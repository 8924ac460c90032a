import { aacConfig } from '../../codec/aac/config.ts'
import { ac3Config } from '../../codec/ac3/config.ts'
import { av1Config, av1ConfigFromSequenceHeader } from '../../codec/av1/config.ts'
import { AV1_OBU_TYPE, splitObus } from '../../codec/av1/obu.ts'
import { flacConfig } from '../../codec/flac/config.ts'
import { g711Config } from '../../codec/g711/config.ts'
import { h264Config } from '../../codec/h264/config.ts'
import { h265Config } from '../../codec/h265/config.ts'
import { mp3Config } from '../../codec/mp3/config.ts'
import { OPUS_SAMPLE_RATE, opusConfig } from '../../codec/opus/config.ts'
import { serializeOpusHead } from '../../codec/opus/opus-head.ts'
import { tryParse } from '../../codec/try-parse.ts'
import { vp8Config } from '../../codec/vp8/config.ts'
import { parseVp8FrameHeader } from '../../codec/vp8/frame-header.ts'
import { vp9Config, vp9ConfigFromKeyframe } from '../../codec/vp9/config.ts'
import { parseVp9FrameHeader } from '../../codec/vp9/frame-header.ts'
import type { AudioConfig, VideoConfig } from '../../track.ts'
import type { FlvVideoCodec } from './four-cc.ts'
import type { FlvAudioPacket } from './audio-body.ts'

/** The offset of the byte of a record with the size of NAL unit lengths, less one, in its low two bits. */
const LENGTH_SIZE_OFFSET = { h264: 4, h265: 21 } as const
const G711_SAMPLE_RATE = 8000

/** The pre-skip of encoders that don't say theirs: 6.5 ms (RFC 7845 5.1). */
const DEFAULT_OPUS_PRE_SKIP = 312

/** A track's configuration, and how long the lengths before its NAL units are in the tags. */
export type VideoSetup = { readonly config: VideoConfig; readonly naluLengthSizeBytes: number }

/**
 * The configuration from a sequence header. A record for shorter NAL unit lengths is copied and set to 4 bytes, as units
 * have.
 * @returns undefined for VP8: its keyframes have the configuration, and its header has nothing.
 * @throws {MalformedError} when it is broken.
 */
export function readVideoHeader(codec: FlvVideoCodec, header: Buffer): VideoSetup | undefined {
  switch (codec) {
    case 'h264':
    case 'h265': {
      const offset = LENGTH_SIZE_OFFSET[codec]
      const config = codec === 'h264' ? h264Config(header) : h265Config(header)
      const naluLengthSizeBytes = (header[offset]! & 3) + 1
      if (naluLengthSizeBytes === 4) return { config, naluLengthSizeBytes }
      const record = Buffer.from(header)
      record[offset]! |= 3
      return { config: { ...config, record }, naluLengthSizeBytes }
    }
    case 'av1':
      return { config: av1Config(header), naluLengthSizeBytes: 4 }
    case 'vp9':
      return { config: vp9Config(header), naluLengthSizeBytes: 4 }
    case 'vp8':
      return undefined
  }
}

/**
 * The configuration that a keyframe shows, for codecs with keyframes that contain what a header may have left out: the size
 * of VP8 and VP9, and all of AV1.
 * @returns `current` when it still holds, undefined when nothing is known.
 */
export function readKeyframe(
  codec: FlvVideoCodec,
  frame: Buffer,
  current: VideoConfig | undefined,
): VideoConfig | undefined {
  switch (codec) {
    case 'vp8': {
      const header = tryParse(parseVp8FrameHeader, frame)
      return header?.keyframe && !sameSize(header, current) ? vp8Config(header) : current
    }
    case 'vp9': {
      const header = tryParse(parseVp9FrameHeader, frame)
      if (!header?.keyframe || sameSize(header, current)) return current
      return current ? { ...current, width: header.width, height: header.height } : vp9ConfigFromKeyframe(header)
    }
    case 'av1':
      return current ?? tryParse(av1ConfigFromKeyframe, frame)
    case 'h264':
    case 'h265':
      return current
  }
}

function av1ConfigFromKeyframe(frame: Buffer): VideoConfig | undefined {
  const header = splitObus(frame).find(({ type }) => type === AV1_OBU_TYPE.SEQUENCE_HEADER)
  return header && av1ConfigFromSequenceHeader(header)
}

function sameSize(size: { readonly width: number; readonly height: number }, config: VideoConfig | undefined): boolean {
  return config !== undefined && size.width === config.width && size.height === config.height
}

/**
 * The configuration from a sequence header.
 * @returns undefined where the codec has none.
 * @throws {MalformedError} when it is broken.
 */
export function readAudioHeader({ codec, data }: FlvAudioPacket): AudioConfig | undefined {
  switch (codec) {
    case 'aac':
      return aacConfig(data)
    case 'opus':
      return opusConfig(data.length > 0 ? data : defaultOpusHead())
    case 'flac':
      return flacConfig(data)
    default:
      return undefined
  }
}

/** Enhanced RTMP v2 allows an empty header for Opus of one or two channels; a decoder for two plays both. */
function defaultOpusHead(): Buffer {
  return serializeOpusHead({
    version: 1,
    channels: 2,
    preSkip: DEFAULT_OPUS_PRE_SKIP,
    inputSampleRate: OPUS_SAMPLE_RATE,
    outputGain: 0,
    mappingFamily: 0,
    mapping: undefined,
  })
}

/** The configuration of a codec without sequence headers from one of its frames; undefined when it doesn't tell. */
export function readAudioFrame({ codec, data, channels }: FlvAudioPacket): AudioConfig | undefined {
  switch (codec) {
    case 'mp3':
      return tryParse(mp3Config, data)
    case 'ac3':
    case 'eac3':
      return tryParse((frame) => ac3Config(codec, frame), data)
    case 'pcma':
    case 'pcmu':
      return g711Config(codec, G711_SAMPLE_RATE, channels === 2 ? 2 : 1)
    default:
      return undefined
  }
}
