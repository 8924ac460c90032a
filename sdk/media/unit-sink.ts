import type { AccessUnit } from './access-unit.ts'
import type { AudioConfig, Track, TrackInit, VideoConfig } from './track.ts'

/** Takes the tracks and units that a demuxer finds. A publisher is a sink. */
export interface UnitSink {
  /** Declares a track, before its first unit. */
  addTrack(init: TrackInit): Track
  /** Replaces the configuration of a track; units written from now on need it. The codec stays the same. */
  configureTrack(track: Track, config: VideoConfig | AudioConfig): void
  /** Ends a track: no further unit of it follows, for example because another codec takes its place. */
  removeTrack(track: Track): void
  /** Takes a unit over. Units of one track come in decoding order. */
  write(unit: AccessUnit): void
}
