import type { SubscribeConfig } from '../config/groups.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { Track } from '../media/track.ts'
import type { CloseReason } from './close-reason.ts'
import type { MuxerFormat, Sink } from './muxer.ts'

/**
 * Takes a subscriber's units, as a {@link Sink} takes its bytes. Its functions are called on the media path, within the
 * publisher's `write`, and must do their work before they return: one that throws, or returns a promise, ends its
 * subscriber with the code `failed`. What takes longer is to be queued, within bounds, by the reader.
 */
export interface UnitReader {
  /** A track appeared, or its configuration changed. Called for the present tracks first. */
  track?(track: Track): void
  /** A unit, in the order of the publisher's writes; it is shared with others and must not be changed. */
  unit(unit: AccessUnit): void
  /** A track is gone while its publisher goes on. */
  trackRemoved?(track: Track): void
  /** The publisher ended. If another comes, its tracks follow, then its units from a keyframe on; time goes on. */
  sourceEnded?(): void
}

/**
 * The session that takes one stream. `ctx.streams.subscribe` gives it when the stream has the tracks asked for; whoever
 * got it closes it. It outlives its publisher: when that goes, it waits for the next, `subscribe.waittimeout` long.
 */
export interface Subscriber {
  /** Unique among the sessions of this process, publishers and subscribers. */
  readonly id: number
  /** The path that it was admitted to: as requested, unless the admission webhook rewrote it. */
  readonly streamPath: string
  /** The `subscribe` section that holds for this session: the plugin's, with the query's overrides. */
  readonly config: Readonly<SubscribeConfig>
  /** The tracks that it gets at present, after `subaudio` and `subvideo`. */
  readonly tracks: readonly Track[]
  /**
   * Starts sending muxed bytes to a sink, from the newest keyframe on (see `submode`). A sink that falls behind skips
   * to a keyframe; one that takes nothing for `stalltimeout` is closed with the code `slow`. Once per subscriber.
   */
  attach(format: MuxerFormat, sink: Sink): void
  /** Starts handing units to a reader, from the newest keyframe on. Once per subscriber, instead of `attach`. */
  read(reader: UnitReader): void
  /** Holds media back from the sink or reader until {@link Subscriber.resume}. What comes meanwhile is left out. */
  pause(): void
  /** Lets media come again, from the next keyframe on. */
  resume(): void
  /** Calls the listener once, when the subscriber ends for whatever reason; at once when it has ended already. */
  onClose(listener: (reason: CloseReason) => void): void
  /** Ends the subscriber. A text alone has the code `closed`. Idempotent. */
  close(reason?: CloseReason | string): void
}
