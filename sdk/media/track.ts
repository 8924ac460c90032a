/** Video codecs that a track can carry, by their common short names. */
export type VideoCodec = 'h264' | 'h265' | 'av1' | 'vp9' | 'vp8' | 'mjpeg'

/**
 * Audio codecs that a track can carry. `pcma` and `pcmu` are G.711 A-law and µ-law; `l16` is PCM of 16 bits in network byte
 * order (RFC 3551 4.5.11).
 */
export type AudioCodec = 'aac' | 'opus' | 'mp3' | 'mp2' | 'pcma' | 'pcmu' | 'g722' | 'l16' | 'flac' | 'ac3' | 'eac3'

/**
 * The contents of a track of data: KLV metadata (SMPTE ST 336), splice information sections (SCTE 35), texts of JSON, SEI
 * messages of its own, plain text in UTF-8.
 *
 * A unit of `klv` is KLV bytes. The record is empty for asynchronous KLV, and `TS_SYNCHRONOUS_KLV` for KLV that MPEG-TS
 * carries as metadata with exact times.
 *
 * A unit of `scte35` is a whole section with its CRC (ANSI/SCTE 35 9.6). Times of splices in it count from the unit's own
 * `pts`, in ticks of 90 kHz modulo 2^33, since a stream has another clock than its source: a reader of sections subtracts the
 * `pts` that the unit has by the source's clock from `pts_adjustment`, and a writer adds the `pts` that the unit gets by its
 * own clock. So a splice stays at its picture wherever the units go.
 */
export type DataCodec = 'klv' | 'scte35' | 'json' | 'sei' | 'text'

/** The configuration that a decoder needs before the first access unit of a video track. */
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

/** The configuration that a decoder needs before the first access unit of an audio track. */
export type AudioConfig = {
  /** AudioSpecificConfig for AAC, OpusHead for Opus, STREAMINFO for FLAC; empty where the codec needs none. */
  readonly record: Buffer
  /** Samples a second. */
  readonly sampleRate: number
  readonly channels: number
  /** The `codecs` value of RFC 6381, for example `mp4a.40.2`. */
  readonly codecString: string
}

/** The configuration that a reader needs before the first access unit of a track of data. */
export type DataConfig = {
  /** Mostly empty. */
  readonly record: Buffer
  /** A media type or an identifier that describes the contents of the units; mostly empty. */
  readonly codecString: string
}

type TrackFields<Kind extends string, Codec extends string, Config> = {
  readonly kind: Kind
  readonly codec: Codec
  /** Ticks a second of this track's `dts` and `pts`. */
  readonly timescale: number
  readonly config: Config
  /** The language tag (BCP 47), for example `fr` or `pt-BR`. */
  readonly language?: string
  /** The name for people, for example `Commentary`. */
  readonly label?: string
  /**
   * The name of a further track among those of its kind: the id of a simulcast layer or a rendition, or the number that
   * enhanced RTMP gives it. A main track has none; see `mainTracks`.
   */
  readonly layer?: string
  /**
   * The name of a group of tracks that show something else, such as the screen beside the camera. Tracks of one kind and
   * group are alternatives of each other, as layers are. The tracks that a source shows first have none.
   */
  readonly group?: string
}

/** The declaration of a track, with the properties that a demuxer knows at its beginning. */
export type TrackInit =
  | TrackFields<'video', VideoCodec, VideoConfig>
  | TrackFields<'audio', AudioCodec, AudioConfig>
  | TrackFields<'data', DataCodec, DataConfig>

/**
 * One elementary stream in one configuration. It never changes: when the configuration does, another track with the same
 * id takes its place, and each unit refers to the one that it was made for.
 */
export type Track = TrackInit & {
  /** The number of the track within its stream, which no later one gets: from 0, in the order of declaration. */
  readonly id: number
}

/** A track of pictures. */
export type VideoTrack = Extract<Track, { kind: 'video' }>
/** A track of sound. */
export type AudioTrack = Extract<Track, { kind: 'audio' }>
/** A track of data. Subscribers and formats get it only when they ask for data. */
export type DataTrack = Extract<Track, { kind: 'data' }>

/** A track of pictures or of sound. */
export type MediaTrack = VideoTrack | AudioTrack

/**
 * The main track of each kind, pictures first: those that formats of one track a kind carry, and that subscribers start
 * by. It is the first that has no layer, or else the first.
 */
export function mainTracks<Kind extends Track>(tracks: readonly Kind[]): Extract<Kind, MediaTrack>[] {
  return (['video', 'audio'] as const).flatMap((kind) => {
    const ofKind = tracks.filter((track): track is Extract<Kind, MediaTrack> => track.kind === kind)
    return ofKind.find(({ layer = '' }) => layer === '') ?? ofKind.slice(0, 1)
  })
}

/** The layer for a further track of a kind, which its source does not name: the first number that is free; none at first. */
export function freeLayer(taken: readonly (string | undefined)[]): string | undefined {
  if (!taken.includes(undefined)) return undefined
  let number = 1
  while (taken.includes(String(number))) number += 1
  return String(number)
}
