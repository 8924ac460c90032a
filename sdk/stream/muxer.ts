import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'

/**
 * An output format. All subscribers of a stream that attach the same format object share one muxer, so each unit is
 * turned into bytes once: what it writes must be the same for everybody.
 */
export interface MuxerFormat {
  /** For logs and statistics, for example `flv`. */
  readonly name: string
  createMuxer(): Muxer
}

/** What a muxer is told about the stream when a sink starts. */
export type MuxerStart = {
  readonly tracks: readonly Track[]
  readonly metadata: Readonly<Record<string, unknown>>
}

/**
 * Turns units into bytes. A returned buffer is owned by the caller and never changed afterwards.
 *
 * When a publisher takes over from another, its tracks are new objects; one whose configuration equals the one it
 * takes the place of (same kind and name) is not announced again.
 */
export interface Muxer {
  /** The bytes that every sink gets first: headers, metadata and the configuration of all tracks. */
  start(start: MuxerStart): Buffer
  /** The bytes that announce a track that appeared or whose configuration changed, at `timeMs` of the stream. */
  configure(track: Track, timeMs: number): Buffer | null
  /** One unit's bytes; `null` when the format can't carry the unit. */
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
