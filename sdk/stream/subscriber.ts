import type { SubscribeConfig } from '../config/groups.ts'
import type { AccessUnit } from '../media/access-unit.ts'
import type { MuxerFormat } from '../media/muxer.ts'
import type { MediaTrack, Track, VideoTrack } from '../media/track.ts'
import type { CloseReason } from './close-reason.ts'
import type { Sink } from './sink.ts'
import type { SourceControl } from './source-control.ts'

/**
 * Takes a subscriber's units, as a {@link Sink} takes its bytes. Its functions are called on the media path, within the
 * publisher's `write`; one that throws or rejects ends its subscriber with the code `failed`.
 *
 * A function that takes longer returns a promise: the next call comes when that is done, and units that are written meanwhile
 * wait, as far as `queuesize` and `queuetime` go. A reader that is further behind reads the units that wait, and goes on at
 * the next keyframe, after a call of `track` for each track as it is by then; the units left out are counted. A promise that
 * takes longer than `stalltimeout` ends its subscriber with the code `slow`.
 */
export interface UnitReader {
  /** True when it takes tracks of data, too; unless set, it gets pictures and sound alone. */
  readonly data?: boolean
  /**
   * A track appeared, or takes the place of the one with the same id, as its configuration is another. Called for the
   * present tracks first.
   */
  track?(track: Track): void | Promise<void>
  /** A unit, in the order of the publisher's writes; it is shared with others and must not be changed. */
  unit(unit: AccessUnit): void | Promise<void>
  /** A track is gone while its publisher goes on, or nothing has come of it; it may begin later. */
  trackRemoved?(track: Track): void | Promise<void>
  /** The units that follow do not go on from the earlier ones, and begin with a keyframe; time goes on. */
  discontinuity?(): void | Promise<void>
  /**
   * The publisher ended, or the subscriber is moved to another stream. If another comes, its tracks follow, then its
   * units from a keyframe on; time goes on.
   */
  sourceEnded?(): void | Promise<void>
}

/**
 * The session that takes one stream. `ctx.streams.subscribe` returns it when the stream has the tracks asked for, and its
 * caller closes it. It outlives its publisher: when that ends, it waits for the next, `subscribe.waittimeout` long.
 */
export interface Subscriber {
  /** Unique among the sessions of the server, publishers and subscribers of all its processes; fits 32 bits. */
  readonly id: number
  /** The path that it was admitted to: as requested, unless the admission webhook rewrote it. */
  readonly streamPath: string
  /** The path of the stream that it gets: `streamPath`, until it is moved to another (see `StreamManager.move`). */
  readonly sourcePath: string
  /** The `subscribe` section that holds for this session: the plugin's, with the query's overrides. */
  readonly config: Readonly<SubscribeConfig>
  /**
   * The tracks that it gets at present, after `subaudio` and `subvideo`; those of data once a reader or format that takes
   * them was given.
   */
  readonly tracks: readonly Track[]
  /**
   * The tracks of pictures and sound that the source has declared, and of which nothing has come in time: they join `tracks`
   * once they begin. For protocols in which a session can't gain media later; others leave them alone.
   */
  readonly silentTracks: readonly MediaTrack[]
  /**
   * Starts sending muxed bytes to a sink, from the newest keyframe on (see `submode`). A sink that falls behind skips
   * to a keyframe; one that takes nothing for `stalltimeout` is closed with the code `slow`. Once per subscriber.
   */
  attach(format: MuxerFormat, sink: Sink): void
  /** Starts handing units to a reader, from the newest keyframe on. Once per subscriber, instead of `attach`. */
  read(reader: UnitReader): void
  /** Holds media back from the sink or reader until {@link Subscriber.resume}. Media that comes meanwhile is left out. */
  pause(): void
  /** Lets media come again, from the next keyframe on. */
  resume(): void
  /**
   * Adds to the counts of sent bytes and dropped units in lists and metrics: for media that reaches a peer in another way
   * than through a sink, such as HLS segments, or datagrams made by a reader.
   * @throws {RangeError} for a count that is no whole number from 0 on
   */
  account(counts: { readonly bytes?: number; readonly dropped?: number }): void
  /**
   * Lets lists show more of the session, for example `{ rttMs: 40, layer: 'low' }`. The function is called for each list
   * that is asked for; one that throws is logged and called no more. Up to 32 fields are shown, each text of up to 200
   * characters. Operators see them, so they hold nothing secret.
   */
  details(read: () => Readonly<Record<string, string | number>>): void
  /**
   * The source, for a subscriber that may command it, as its stream is its own (`PublishOptions.personal`); undefined for all
   * others. Its functions throw `StreamUnavailable` when the source fails in them.
   */
  readonly control: SourceControl | undefined
  /**
   * Asks the source for a keyframe of a track, by default of the one that the subscriber starts at. The source is asked at
   * most once in `publish.keyframeinterval` for all subscribers, and not at all when it can't be asked.
   */
  requestKeyframe(track?: VideoTrack): void
  /** Calls the listener when it has been moved to another stream, before anything of that stream comes. */
  onSource(listener: (sourcePath: string) => void): void
  /** Calls the listener once, when the subscriber ends for whatever reason; at once when it has ended already. */
  onClose(listener: (reason: CloseReason) => void): void
  /** Ends the subscriber. A text alone has the code `closed`. Idempotent. */
  close(reason?: CloseReason | string): void
}
