import type { AudioCodec, Track, VideoCodec } from '../../track.ts'

/** From this rate on MPEG audio is of MPEG-1. */
const MIN_MPEG_1_SAMPLE_RATE = 32_000

/** The codecs of pictures and sound that a program stream carries here. */
export type PsVideoCodec = Extract<VideoCodec, 'h264' | 'h265'>
export type PsAudioCodec = Extract<AudioCodec, 'aac' | 'mp3' | 'pcma' | 'pcmu'>

/**
 * The stream types of program stream maps: those of ISO/IEC 13818-1 table 2-34, and of GB/T 28181-2022 annex C, which has
 * taken numbers of the private range.
 */
const PS_STREAM_TYPE = {
  mpeg1Audio: 0x03,
  mpeg2Audio: 0x04,
  aac: 0x0f,
  h264: 0x1b,
  h265: 0x24,
  pcma: 0x90,
  pcmu: 0x91,
} as const

const CODEC_BY_TYPE = new Map<number, PsVideoCodec | PsAudioCodec>([
  [PS_STREAM_TYPE.mpeg1Audio, 'mp3'],
  [PS_STREAM_TYPE.mpeg2Audio, 'mp3'],
  [PS_STREAM_TYPE.aac, 'aac'],
  [PS_STREAM_TYPE.h264, 'h264'],
  [PS_STREAM_TYPE.h265, 'h265'],
  [PS_STREAM_TYPE.pcma, 'pcma'],
  [PS_STREAM_TYPE.pcmu, 'pcmu'],
])

/** Streams that no track can have, by the names under which they are told. */
const UNSUPPORTED_NAMES = new Map<number, string>([
  [0x01, 'MPEG-1 video'],
  [0x02, 'MPEG-2 video'],
  [0x10, 'MPEG-4 video'],
  [0x80, 'SVAC video'],
  [0x92, 'G.722.1'],
  [0x93, 'G.723.1'],
  [0x94, 'G.726'],
  [0x99, 'G.729'],
  [0x9b, 'SVAC audio'],
])

/** The codec of a stream type; undefined for those that no track can have. */
export function psCodecOf(streamType: number): PsVideoCodec | PsAudioCodec | undefined {
  return CODEC_BY_TYPE.get(streamType)
}

/** The name of a stream type that no track can have, for example `SVAC video` or `stream type 0xa0`. */
export function psUnsupportedName(streamType: number): string {
  return UNSUPPORTED_NAMES.get(streamType) ?? `stream type 0x${streamType.toString(16).padStart(2, '0')}`
}

/** The stream type of a track by its codec; undefined for codecs that have none. */
export function psStreamTypeOf({ kind, codec, config }: Track): number | undefined {
  if (kind === 'data') return undefined
  if (codec === 'mp3') {
    const isMpeg1 = kind === 'audio' && config.sampleRate >= MIN_MPEG_1_SAMPLE_RATE
    return isMpeg1 ? PS_STREAM_TYPE.mpeg1Audio : PS_STREAM_TYPE.mpeg2Audio
  }
  for (const [streamType, other] of CODEC_BY_TYPE) if (other === codec) return streamType
  return undefined
}
