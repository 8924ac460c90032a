import type { AccessUnit } from './access-unit.ts'
import type { Track } from './track.ts'

/**
 * An output format. All subscribers of a stream that attach the same format object share one muxer, so each unit is turned
 * into bytes once: its bytes must be the same for all.
 */
export interface MuxerFormat {
  /** The name of the format in logs and statistics, for example `flv`. */
  readonly name: string
  /** True when it takes tracks of data, too; unless set, it gets pictures and sound alone. */
  readonly data?: boolean
  /**
   * Returns true when it has a place for a track. Its muxers see neither the other tracks nor their units, and the log names
   * those once. Left out where it can carry all.
   */
  carries?(track: Track): boolean
  /**
   * The longest time that output is gathered into one write, in milliseconds, in place of a longer `subscribe.writemerge`;
   * for protocols that promise a shorter delay than `auto` may grow to. Default `subscribe.writemerge`.
   */
  readonly maxMergeMs?: number
  /**
   * The longest time that sound may wait for the next picture, with which it leaves in one write, in milliseconds; for
   * protocols with an answer of each receiver to each write, and receivers that hold media longer than that anyway. Not at
   * all unless given.
   */
  readonly soundWaitMs?: number
  /**
   * Makes a muxer. Where it is for sinks that are moved from another stream, `former` is the muxer of that stream: a format
   * with output that depends on more than the units' times, such as numbers or a clock of its own, goes on from there.
   */
  createMuxer(former?: Muxer): Muxer
}

/** The stream as it is when a muxer is started. */
export type MuxerStart = {
  /** The tracks that there are, as far as the muxer's subscribers take them. */
  readonly tracks: readonly Track[]
  /** The description of the stream by its publisher; see `Publisher.setMetadata`. */
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Turns units into bytes. A returned buffer is owned by the caller and never changed afterwards.
 *
 * The calls come in this order: `start`, before anything else; `mux` for each unit. Whenever a track has come, gone or been
 * configured anew, or the metadata is another, `start` is called again before the next unit, with all tracks that there are
 * by then; then `configure`, if a track came or changed. So a muxer knows the track of every unit, and a track that is no
 * longer named is gone.
 *
 * When a publisher takes over from another, its tracks are new objects. A track with the configuration of the track that it
 * replaces (same kind, layer, language and label) brings a new `start`, and no `configure`.
 *
 * An error of `start` or `configure` ends the muxer's subscribers; after an error of `mux`, the unit is left out.
 */
export interface Muxer {
  /**
   * Takes the tracks, and returns the bytes that a sink gets first: headers, metadata and the configuration of all
   * tracks. They go to sinks that begin from then on; those that play already don't get them. May be empty.
   */
  start(start: MuxerStart): Buffer
  /**
   * Returns the bytes that announce a track to sinks that play already, at `timeMs` of the stream: a track that came, or one
   * with a changed configuration. `null` when there is nothing to announce.
   */
  configure(track: Track, timeMs: number): Buffer | null
  /**
   * Returns the bytes for a sink that another muxer of this format has begun, and that goes on here, with other tracks, at
   * `timeMs`. Called after `start`. Left out where the bytes of `configure` for each track suffice. An error that it throws
   * ends the sink: a format that can't change its codec in the middle throws here.
   */
  resume?(start: MuxerStart, timeMs: number): Buffer
  /**
   * Returns true when sinks of another muxer of this format can go on with this muxer's next output, for example as its
   * numbers follow on theirs. Sinks for which it is false get a muxer that `createMuxer` makes of their former one. Left out
   * where all can.
   */
  follows?(former: Muxer): boolean
  /** Returns the bytes of one unit; `null` when the format can't carry the unit. */
  mux(unit: AccessUnit): Buffer | null
}
