import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'

/** The dates of a recording's times, in milliseconds since the Unix epoch. They jump over times in which nothing was recorded. */
export interface RecordingDates {
  dateOf(positionMs: number): number
  /** Returns the position of a date; for a date at which nothing was recorded, the position at which the recording continues. */
  positionOf(dateMs: number): number
}

/** Media that can be read as fast as it is asked for, as a {@link PacedPlayer} plays it. One call is made at a time. */
export interface Recording {
  /**
   * The tracks of its units. A unit may refer to a track with the id of one of these and another configuration, which holds from
   * this unit on; and to a track with another id, which then replaces those of its kind and layer.
   */
  readonly tracks: readonly Track[]
  /** The duration in milliseconds: from 0, where its times begin, to the end of its last unit. */
  readonly durationMs: number
  /** The metadata of the recording, for `Publisher.setMetadata`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** The dates of its times, when they are known. */
  readonly dates?: RecordingDates | undefined
  /** Returns the next unit in decoding order of its track, with the tracks side by side; undefined at the end. */
  next(): AccessUnit | undefined | Promise<AccessUnit | undefined>
  /** Makes the keyframe at a position, or the last one before it, the next unit; without pictures, any unit there. */
  seek(positionMs: number): void | Promise<void>
}
