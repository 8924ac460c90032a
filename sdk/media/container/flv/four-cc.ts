import type { AudioCodec, VideoCodec } from '../../track.ts'

/** The codecs that FLV and RTMP can carry. */
export type FlvVideoCodec = Exclude<VideoCodec, 'mjpeg'>
export type FlvAudioCodec = Exclude<AudioCodec, 'mp2' | 'g722' | 'l16'>

function fourCc(text: string): number {
  return Buffer.from(text, 'latin1').readUInt32BE(0)
}

/** Codecs of enhanced tags, Enhanced RTMP v2 "VideoFourCc". */
export const VIDEO_FOUR_CC = {
  h264: fourCc('avc1'),
  h265: fourCc('hvc1'),
  av1: fourCc('av01'),
  vp9: fourCc('vp09'),
  vp8: fourCc('vp08'),
} as const satisfies Record<FlvVideoCodec, number>

/** Codecs of enhanced tags, Enhanced RTMP v2 "AudioFourCc". G.711 has none. */
export const AUDIO_FOUR_CC = {
  aac: fourCc('mp4a'),
  opus: fourCc('Opus'),
  flac: fourCc('fLaC'),
  ac3: fourCc('ac-3'),
  eac3: fourCc('ec-3'),
  mp3: fourCc('.mp3'),
} as const satisfies Partial<Record<FlvAudioCodec, number>>

export const VIDEO_CODEC_BY_FOUR_CC = codecByFourCc<FlvVideoCodec>(VIDEO_FOUR_CC)
export const AUDIO_CODEC_BY_FOUR_CC = codecByFourCc<FlvAudioCodec>(AUDIO_FOUR_CC)

function codecByFourCc<Codec extends string>(table: Partial<Record<Codec, number>>): ReadonlyMap<number, Codec> {
  const entries = Object.entries(table) as [Codec, number][]
  return new Map(entries.map(([codec, value]) => [value, codec]))
}

/** Returns the four characters for messages, with dots for those that don't print. */
export function fourCcText(value: number): string {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('latin1').replace(/[^ -~]/g, '.')
}
