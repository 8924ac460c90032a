import type { AudioCodec, RtpFormat, VideoCodec } from 'sluice/sdk/media'

/** The codecs that WebRTC carries in this server, by the registered names of their payload formats in upper case. */
const CODECS: Readonly<Record<string, VideoCodec | AudioCodec>> = {
  H264: 'h264',
  H265: 'h265',
  VP8: 'vp8',
  VP9: 'vp9',
  AV1: 'av1',
  OPUS: 'opus',
  PCMA: 'pcma',
  PCMU: 'pcmu',
  G722: 'g722',
}

/** The names of codecs for people. */
const NAMES: Readonly<Record<string, string>> = {
  h264: 'H.264',
  h265: 'H.265',
  opus: 'Opus',
  g722: 'G.722',
  mp2: 'MPEG audio',
  mp3: 'MP3',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
}

/** The encoding name of repeated packets (RFC 4588 8.6). */
export const RTX_ENCODING = 'RTX'

/** The codec of a payload format; undefined for a format that is not supported. */
export function codecOfFormat({ encodingName, clockRate, channels }: RtpFormat): VideoCodec | AudioCodec | undefined {
  const codec = Object.hasOwn(CODECS, encodingName) ? CODECS[encodingName] : undefined
  switch (codec) {
    case undefined:
      return undefined
    case 'opus':
      // Opus is always written with two channels (RFC 7587 7); none means the same.
      return clockRate === 48_000 && channels <= 2 ? codec : undefined
    case 'pcma':
    case 'pcmu':
    case 'g722':
      return clockRate === 8000 && channels === 1 ? codec : undefined
    default:
      return clockRate === 90_000 ? codec : undefined
  }
}

/** True when WebRTC carries the codec in this server. */
export function isSpokenCodec(codec: string): boolean {
  return Object.values(CODECS).some((known) => known === codec)
}

/** The name of a codec for people: `H.264`, `AAC`. */
export function codecName(codec: string): string {
  return Object.hasOwn(NAMES, codec) ? NAMES[codec]! : codec.toUpperCase()
}

/** Joins names for a sentence: `H.264, VP8 and Opus`, each once; `nothing` when there are none. */
export function listNames(names: readonly string[]): string {
  const each = [...new Set(names)]
  const last = each.pop() ?? 'nothing'
  return each.length === 0 ? last : `${each.join(', ')} and ${last}`
}
