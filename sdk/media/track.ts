/** Video codecs that a track can carry, by their common short names. */
export type VideoCodec = 'h264' | 'h265' | 'av1' | 'vp9' | 'vp8'

/** Audio codecs that a track can carry. `pcma` and `pcmu` are G.711 A-law and µ-law. */
export type AudioCodec = 'aac' | 'opus' | 'mp3' | 'pcma' | 'pcmu' | 'flac' | 'ac3' | 'eac3'

/** What a decoder needs before the first access unit of a video track. */
export type VideoConfig = {
  /**
   * The decoder configuration record: `avcC` (ISO/IEC 14496-15 5.3.3), `hvcC` (8.3.3), `av1C` or `vpcC`.
   * Empty where the codec needs none.
   */
  readonly record: Buffer
  /** Coded size after cropping, in pixels; 0 when it is not known. */
  readonly width: number
  readonly height: number
  /** The `codecs` value of RFC 6381, for example `avc1.64001f`. */
  readonly codecString: string
}

/** What a decoder needs before the first access unit of an audio track. */
export type AudioConfig = {
  /** AudioSpecificConfig for AAC, OpusHead for Opus, STREAMINFO for FLAC; empty where the codec needs none. */
  readonly record: Buffer
  /** Samples a second. */
  readonly sampleRate: number
  readonly channels: number
  /** The `codecs` value of RFC 6381, for example `mp4a.40.2`. */
  readonly codecString: string
}

type TrackFields<Kind extends string, Codec extends string, Config> = {
  readonly kind: Kind
  readonly codec: Codec
  /** Ticks a second of this track's `dts` and `pts`. */
  readonly timescale: number
  readonly config: Config
  /** A label that tells tracks of one kind apart, for example a language or a rendition; empty for the main track. */
  readonly name?: string
}

/** The declaration of a track: what a demuxer knows when it meets one. */
export type TrackInit = TrackFields<'video', VideoCodec, VideoConfig> | TrackFields<'audio', AudioCodec, AudioConfig>

/**
 * One elementary stream. Its identity holds for the publisher's life; `config` is replaced as a whole when the codec
 * configuration changes mid-stream (same codec), and never mutated.
 */
export type Track = TrackInit & {
  /** Position among the stream's tracks, from 0. */
  readonly id: number
}

/** A track of pictures. */
export type VideoTrack = Extract<Track, { kind: 'video' }>
/** A track of sound. */
export type AudioTrack = Extract<Track, { kind: 'audio' }>

/** Whether a track has no name: it is the main one of its kind, the one that formats of one track a kind carry. */
export function isMainTrack({ name = '' }: TrackInit): boolean {
  return name === ''
}
