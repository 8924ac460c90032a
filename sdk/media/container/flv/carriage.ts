import type { AudioTrack, Track, VideoTrack } from '../../track.ts'
import type { FlvAudioCodec, FlvVideoCodec } from './four-cc.ts'

export type FlvVideoTrack = VideoTrack & { readonly codec: FlvVideoCodec }
export type FlvAudioTrack = AudioTrack & { readonly codec: FlvAudioCodec }
export type FlvTrack = FlvVideoTrack | FlvAudioTrack

/** Returns true when FLV and RTMP can carry a track: all but Motion JPEG, MPEG audio of layer 2, G.722, L16 and data. */
export function canCarryInFlv(track: Track): track is FlvTrack {
  switch (track.codec) {
    case 'mjpeg':
    case 'mp2':
    case 'g722':
    case 'l16':
      return false
    default:
      return track.kind !== 'data'
  }
}

/** @throws {RangeError} for a track that {@link canCarryInFlv} refuses. */
export function flvTrackOf(track: Track): FlvTrack {
  if (!canCarryInFlv(track)) throw new RangeError(`FLV cannot carry ${track.codec}`)
  return track
}
