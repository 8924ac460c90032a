import type { TrackInit, VideoTrack } from '../media/track.ts'
import type { UnitSink } from '../media/unit-sink.ts'

/**
 * The commands that a source can follow; a publisher has them from its plugin (`PublishOptions.control`). A function is left
 * out where the source can't do it. The host waits for functions that return a promise, ten seconds long.
 *
 * Times are milliseconds of the recording: since its beginning, or since the Unix epoch where it has a date.
 */
export interface SourceControl {
  /** Returns the position of a source that can be sought in. */
  position?(): SourcePosition
  /** Stops sending. The source reports it by `Publisher.setPaused`; a second call changes nothing. */
  pause?(): void | Promise<void>
  /** Goes on with the media that comes next. */
  resume?(): void | Promise<void>
  /** Plays faster or slower, at a speed above 0; 1 is the pace of the recording. The source reports it by `Publisher.setSpeed`. */
  setSpeed?(speed: number): void | Promise<void>
  /**
   * Goes on at the keyframe at a position, or the last one before it; a position outside the recording is taken for its
   * nearer end. It settles before media of the new place is written,
   * and the source calls `Publisher.discontinuity` in between.
   */
  seek?(positionMs: number): void | Promise<void>
  /** Asks the encoder for a keyframe of a track. Called at most once in `publish.keyframeinterval`, however many ask. */
  requestKeyframe?(track: VideoTrack): void
  /**
   * Opens the way back to the source, such as the loudspeaker of a camera.
   * @param tracks the media to send, so that the source can refuse tracks that it can't play
   */
  talk?(tracks: readonly TrackInit[]): Promise<Talk>
}

/** The position of a source, and the ends of the range that it can be sought in, in milliseconds of the recording. */
export type SourcePosition = { readonly atMs: number; readonly fromMs: number; readonly toMs: number }

/** Media on its way back to a source. */
export interface Talk extends UnitSink {
  /** Calls the listener once, when it has ended from whichever side; at once when it has ended already. */
  onClose(listener: () => void): void
  /** Ends it. Media that is written afterwards is left out. Idempotent. */
  close(): void
}
