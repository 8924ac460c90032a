import type { Paths } from 'sluice/api'

/** One stream of the list. */
export type ListedStream = Paths['GET /api/stream/list']['answer']['data'][number]

/** Names of codecs as people write them. */
const CODECS: Readonly<Record<string, string>> = {
  h264: 'H.264',
  h265: 'H.265',
  av1: 'AV1',
  vp8: 'VP8',
  vp9: 'VP9',
  aac: 'AAC',
  opus: 'Opus',
  mp3: 'MP3',
  flac: 'FLAC',
  pcma: 'G.711 A',
  pcmu: 'G.711 µ',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
}

export function codecName(codec: string): string {
  return CODECS[codec.toLowerCase()] ?? codec
}

/** Profiles of H.264 by their numbers (ITU-T H.264, A.2). */
const H264_PROFILES: Readonly<Record<string, string>> = {
  '42': 'Baseline',
  '4d': 'Main',
  '58': 'Extended',
  '64': 'High',
  '6e': 'High 10',
  '7a': 'High 4:2:2',
  f4: 'High 4:4:4',
}

/** A codec string of RFC 6381 with the name of its profile, where that is of H.264: `High, level 3.1 (avc1.64001f)`. */
export function profileText(codecString: string): string {
  const [, profile = '', level = ''] = /^avc[13]\.(..)..(..)$/iu.exec(codecString) ?? []
  const name = H264_PROFILES[profile.toLowerCase()]
  return name === undefined ? codecString : `${name}, level ${Number.parseInt(level, 16) / 10} (${codecString})`
}

/** The media of a stream in a few words: `H.264 1280 × 720, AAC`. */
export function mediaText({ videoTrack, audioTrack }: Pick<ListedStream, 'videoTrack' | 'audioTrack'>): string {
  const video = videoTrack && `${codecName(videoTrack.codec)} ${videoTrack.width} × ${videoTrack.height}`
  const audio = audioTrack && codecName(audioTrack.codec)
  return [video, audio].filter((part) => part !== null).join(', ') || '–'
}

/** Bytes a second that come in. */
export function bytesIn({ videoTrack, audioTrack }: ListedStream): number {
  return (videoTrack?.bps ?? 0) + (audioTrack?.bps ?? 0)
}

/** Bytes a second that go out to viewers. */
export function bytesOut({ videoTrack, audioTrack }: ListedStream): number {
  return (videoTrack?.bpsOut ?? 0) + (audioTrack?.bpsOut ?? 0)
}
