import { parseOpusHead } from '../../codec/opus/opus-head.ts'
import { tryParse } from '../../codec/try-parse.ts'
import type { AudioCodec, AudioTrack, MediaTrack, Track, VideoCodec, VideoTrack } from '../../track.ts'

const MAX_UINT16 = 0xffff
const MAX_UINT32 = 0xffff_ffff
/** Above it, a duration or composition offset of some minutes would not fit its field of 32 bits. */
const MAX_VIDEO_TIMESCALE = 10_000_000

export type Fmp4VideoCodec = Exclude<VideoCodec, 'mjpeg' | 'vp8'>
export type Fmp4AudioCodec = Exclude<AudioCodec, 'mp2' | 'g722' | 'l16'>
export type Fmp4VideoTrack = VideoTrack & { readonly codec: Fmp4VideoCodec }
export type Fmp4AudioTrack = AudioTrack & { readonly codec: Fmp4AudioCodec }
export type Fmp4Track = Fmp4VideoTrack | Fmp4AudioTrack

/**
 * Returns true when fMP4 can carry a track as it is configured: all but VP8, Motion JPEG, MPEG audio of layer 2, G.722, L16
 * and data, and values that its fields have no room for, such as a picture of more than 65,535 pixels a side. G.711 is legal
 * in QuickTime's form of it alone, which not all play.
 */
export function canCarryInFmp4(track: Track): track is Fmp4Track {
  const { id, timescale } = track
  if (!isField(timescale, 1, MAX_UINT32) || !isField(id, 0, MAX_UINT32 - 2)) return false
  if (track.kind === 'data') return false
  if (track.kind === 'video') {
    const { width, height } = track.config
    if (track.codec === 'vp8' || track.codec === 'mjpeg') return false
    return isField(width, 0, MAX_UINT16) && isField(height, 0, MAX_UINT16)
  }
  const { channels, sampleRate, record } = track.config
  if (track.codec === 'mp2' || track.codec === 'g722' || track.codec === 'l16') return false
  if (!isField(channels, 0, MAX_UINT16) || !isField(sampleRate, 1, MAX_UINT32)) return false
  return track.codec !== 'opus' || tryParse(parseOpusHead, record) !== undefined
}

/** @throws {RangeError} for a track that {@link canCarryInFmp4} refuses. */
export function fmp4TrackOf(track: Track): Fmp4Track {
  if (!canCarryInFmp4(track)) throw new RangeError(`fMP4 cannot carry this track of ${track.codec}`)
  return track
}

function isField(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}

/**
 * Ticks a second of a track within fMP4: the sample rate of audio, so that each frame's duration is exact; the track's
 * own of video, or {@link MAX_VIDEO_TIMESCALE}.
 */
export function fmp4Timescale(track: MediaTrack): number {
  return track.kind === 'audio' ? track.config.sampleRate : Math.min(track.timescale, MAX_VIDEO_TIMESCALE)
}

/** The number of a track within fMP4, which may not be 0. */
export function fmp4TrackId({ id }: Track): number {
  return id + 1
}
