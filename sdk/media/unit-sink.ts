import type { AccessUnit } from './access-unit.ts'
import type { Track, TrackInit } from './track.ts'

/** Takes the tracks and units that a demuxer finds. A publisher is a sink. */
export interface UnitSink {
  /** Declares a track, before its first unit. */
  addTrack(init: TrackInit): Track
  /**
   * Gives a track another configuration; the codec stays the same. Returns the track that takes its place, with the same
   * id: units from now on are of that one, and no more are taken of the old one. Returns the track itself where the
   * configuration is the one that it has, as sources repeat theirs.
   */
  configureTrack<Kind extends Track>(track: Kind, config: Kind['config']): Kind
  /** Ends a track: no further unit of it follows, for example because another codec takes its place. */
  removeTrack(track: Track): void
  /** Takes a unit over. Units of one track come in decoding order. */
  write(unit: AccessUnit): void
  /**
   * Tells that units of a track were lost on their way, before the next one that is written. They are counted; what
   * follows of video is left out, and counted with them, up to the next keyframe, as it can't be decoded. Other tracks go
   * on.
   */
  lost(track: Track, count: number): void
}
