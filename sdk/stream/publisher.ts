import type { PublishConfig } from '../config/groups.ts'
import type { Track } from '../media/track.ts'
import type { UnitSink } from '../media/unit-sink.ts'
import type { CloseReason } from './close-reason.ts'
import type { SourceControl } from './source-control.ts'

/**
 * The session that feeds one stream. `ctx.streams.publish` returns it, and its caller closes it.
 *
 * `write` hands a unit on to all subscribers before it returns. The unit's times are set right first (see `timestampBits`): a
 * stream's time starts near zero, never runs back, and goes on when a new publisher takes the path over.
 *
 * A track exists for subscribers when something of it has come. Subscribers are notified of it once it is declared; where the
 * other tracks begin and nothing of it comes, it is removed for them after a good second (pictures: 5 s), and announced again
 * when it begins.
 */
export interface Publisher extends UnitSink {
  /** Unique among the sessions of the server, publishers and subscribers of all its processes; fits 32 bits. */
  readonly id: number
  /** The path that it was admitted to: as requested, unless the admission webhook rewrote it. */
  readonly streamPath: string
  /** The `publish` section that holds for this session: the plugin's, with the query's overrides. */
  readonly config: Readonly<PublishConfig>
  /** The bytes of media that were written so far. */
  readonly writtenBytes: number
  /** Descriptive data from the source, for example the fields of `onMetaData`; replaces what was there. */
  setMetadata(metadata: Readonly<Record<string, unknown>>): void
  /** Declares that no further track is to be expected, so that subscribers need not wait for one. */
  tracksComplete(): void
  /**
   * Resolves when the subscribers that were let in and are about to attach take media; after a second at the latest, since
   * some never do. Undefined where there are none. For sources that send everything at once, or end right after they have
   * begun: a subscriber that waited for the stream attaches a little after the tracks are there, and one that attaches after
   * the end finds nothing.
   */
  whenTaken(): Promise<void> | undefined
  /**
   * Declares that the next units do not go on from the earlier ones, as after a seek: subscribers take up at the first
   * keyframe, and their time goes on without a gap. The units kept for late joiners are forgotten.
   */
  discontinuity(): void
  /**
   * Declares that the source was heard, for example by a keepalive of its protocol: it is there, even if it sends no media.
   * `publish.publishtimeout` counts from now on, and ends nothing within `holdsMs` milliseconds, which is for protocols with
   * signs that are further apart. Media counts as a sign itself; `publish.mediatimeout` counts from the last of it in any
   * case.
   *
   * It reads the clock and does no more, and is meant for signs, not for each packet.
   * @param holdsMs default 0
   */
  alive(holdsMs?: number): void
  /**
   * Declares that the source is paused: `publish.pausetimeout` holds instead of `publishtimeout`. Once it sends again, the
   * subscribers' time goes on where it was.
   */
  setPaused(paused: boolean): void
  /**
   * Declares that the source sends at a multiple of the pace of its own times, which are divided by it from now on (in
   * place of `publish.scale`), so that subscribers get media at the pace of the clock.
   */
  setSpeed(speed: number): void
  /** Lets lists show more of the session, for example its loss of packets; as {@link Subscriber.details}. */
  details(read: () => Readonly<Record<string, string | number>>): void
  /** Calls the listener once, when the publisher ends for whatever reason; at once when it has ended already. */
  onClose(listener: (reason: CloseReason) => void): void
  /** Ends the publisher. Its subscribers go back to waiting. A text alone has the code `closed`. Idempotent. */
  close(reason?: CloseReason | string): void
}

/** The properties of a protocol's publisher, where they differ from the defaults. */
export type PublishOptions = {
  /** Width of the protocol's time stamps in bits, for those that wrap: 32 for RTMP and RTP, 33 for MPEG-TS. */
  readonly timestampBits?: number
  /** Keys that replace those of the plugin's `publish` section for this publisher. */
  readonly config?: Readonly<Partial<PublishConfig>>
  /** The commands that the source can follow. Everybody may ask for a keyframe; the rest is for operators, and see `personal`. */
  readonly control?: SourceControl
  /**
   * The stream is one viewer's own, at a path made for it such as `vod_7/…`: its subscribers may command the source
   * (`Subscriber.control`). It ends when the last of them leaves, and they end with it.
   */
  readonly personal?: boolean
  /**
   * Publishes nowhere: the path is not taken, no client can subscribe, and hooks and notices are not called. The media is
   * taken and counted, for tests of a source.
   */
  readonly unlisted?: boolean
  /**
   * The source was admitted, and has yet to connect. The path is taken, and nothing else is visible: no list has it, no hook
   * is called, its subscribers wait as if there were no publisher, and none of the time limits of `publish` counts, until it
   * is heard first: by `alive`, or by its first track. The plugin closes it where that takes too long.
   */
  readonly connecting?: boolean
  /** The caller that has another plugin publish, for example for a pull, and observes the publisher. */
  readonly observer?: PublishObserver
}

/** Observes the publisher that was made with it; an error that it throws ends that publisher. */
export interface PublishObserver {
  /** The publisher was admitted. */
  published(publisher: Publisher): void
  /** A track has appeared. */
  track(track: Track): void
}
