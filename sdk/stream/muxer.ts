import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'

/**
 * An output format. All subscribers of a stream that attach the same format object share one muxer, so each unit is
 * turned into bytes once: what it writes must be the same for everybody.
 */
export interface MuxerFormat {
  /** Names the format in logs and statistics, for example `flv`. */
  readonly name: string
  createMuxer(): Muxer
}

/** The stream as it is when a muxer is started. */
export type MuxerStart = {
  /** The tracks that there are, as far as the muxer's subscribers take them. */
  readonly tracks: readonly Track[]
  /** What the publisher says of the stream; see `Publisher.setMetadata`. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Turns units into bytes. A returned buffer is owned by the caller and never changed afterwards.
 *
 * The calls come in this order: `start`, before anything else; `mux` for each unit. Whenever a track has come, gone or
 * been configured anew, or the metadata is another, `start` is called again before the next unit, with all tracks that
 * there are by then; then `configure`, if a track came or changed. So a muxer knows the track of every unit, and takes
 * for gone what is no longer named.
 *
 * When a publisher takes over from another, its tracks are new objects. One whose configuration equals that of the track
 * it takes the place of (same kind and name) brings a new `start`, and no `configure`.
 *
 * A muxer whose `start`, `configure` or `frame` throws ends its subscribers; a unit that `mux` throws for is left out.
 */
export interface Muxer {
  /**
   * Takes the tracks, and returns the bytes that a sink gets first: headers, metadata and the configuration of all
   * tracks. They go to sinks that begin from then on; those that play already don't get them. May be empty.
   */
  start(start: MuxerStart): Buffer
  /**
   * Returns the bytes that announce a track to sinks that play already: one that came, or whose configuration changed,
   * at `timeMs` of the stream. `null` when there is nothing to say.
   */
  configure(track: Track, timeMs: number): Buffer | null
  /** Returns the bytes of one unit; `null` when the format can't carry the unit. */
  mux(unit: AccessUnit): Buffer | null
  /** Frames what leaves in one write, for example as a WebSocket message. Left out where bytes simply follow on. */
  frame?(bytes: Buffer): Buffer
}

/** Where a subscriber's bytes go, usually a socket; see `socketSink`. */
export interface Sink {
  /** Takes bytes over; they are shared with other sinks and must not be changed. */
  write(bytes: Buffer): void
  /** Bytes taken but not handed to the operating system yet. */
  readonly queuedBytes: number
}
