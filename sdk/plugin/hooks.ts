import type { Track } from '../media/track.ts'
import type { RecordedFile } from '../recording/recorded-file.ts'
import type { CloseReason } from '../stream/close-reason.ts'
import type { AcceptedCodecs, SessionRequest } from '../stream/session-request.ts'
import type { StreamInfo, SubscriberInfo } from '../stream/stream-info.ts'
import type { EndedTask } from './tasks.ts'
import type { AlarmNotice, StreamTask, StreamTaskEnd } from '../stream/stream-task.ts'

/**
 * Takes back the work of an admission hook for a session, such as a claim of its path. Called once: when the session has
 * ended, or as soon as it is certain that it does not begin. Its errors are logged.
 */
export type Undo = () => void

/**
 * The answer of a `resolve` hook for a path without a publisher:
 *
 * - `false`: nothing; the next hook is asked
 * - `true`: the hook will publish the path
 * - `withinMs`: the hook will publish the path, and its subscribers wait that many milliseconds instead of
 *   `subscribe.waittimeout`; a minute at most
 * - `streamPath`: its subscribers get the stream of this path
 * - `redirect`: clients that ask for it by the protocol of the request are sent to this address; see {@link StreamRedirect}
 */
export type Resolution =
  | boolean
  | { readonly withinMs: number }
  | { readonly streamPath: string }
  | { readonly redirect: string }

/** Another stream for a subscriber, and the query that on-demand sources of that stream receive. */
export type Lead = { readonly streamPath: string; readonly params: SessionRequest['params'] }

/**
 * The hooks that a plugin taps with `ctx.hooks.on`, each of one kind:
 *
 * | kind | hooks | called | what the hook may do |
 * | --- | --- | --- | --- |
 * | admission | `publish`, `subscribe`, `talk` | one after another, in the order of {@link HookOrder}, after the gates | refuse the session, by throwing or rejecting; the others are then not called. Return an {@link Undo} |
 * | lead | `lead` | likewise, in one turn, when a subscriber was admitted | return a {@link Lead}; the next is given the request as that leads it |
 * | resolve | `resolve` | likewise, when somebody waits for a path without a publisher | return a {@link Resolution}; once it is not `false`, the others are not called |
 * | adapt | `adapt` | likewise, when a stream has nothing that a player accepts | return the path of a stream that fits; the others are then not called |
 * | notice | all others | all, in the turn in which it happens | nothing; what they throw is logged with the plugin's name |
 *
 * The client of a session that an admission hook refuses gets 401, and not why; a `SluiceError` that a hook throws reaches
 * it as it is. A plain `Error` is a refusal, and its message is the reason in the log. Errors that come from a mistake in
 * the code (`TypeError`, `ReferenceError`, `RangeError`, `SyntaxError`, those of `node:assert`) refuse as well, and are
 * logged with their stack as the plugin's failure.
 *
 * Admission, resolve and adapt hooks have five seconds: an admission hook that takes longer refuses, and an undo that it returns
 * later is called at once; a resolve hook that takes longer won't publish, an adapt hook has no stream. Sessions of the
 * server's own, such as pulls, pass the hooks, too: `request.type` tells them apart.
 *
 * A plugin adds notices of its own by naming them in the `notices` of its definition, and by declaring their types:
 * `declare module 'sluice/sdk' { interface Hooks { counted(total: number): void } }`. One that transcodes names
 * `taskBegan` and `taskEnded` there, one that raises alarms names `alarm`: it tells them as the server does of pulls and pushes.
 */
export interface Hooks {
  /** A session wants to publish; the path is the one that the gates have left it with. */
  publish(request: SessionRequest): void | Undo | Promise<void | Undo>
  /** A session wants to play; the path is the one that the gates have left it with. */
  subscribe(request: SessionRequest): void | Undo | Promise<void | Undo>
  /** A client wants to talk to the source of a stream; see `StreamManager.talk`. Without a hook, no client may. */
  talk(request: SessionRequest): void | Undo | Promise<void | Undo>
  /**
   * A subscriber was admitted and is about to get the stream of its path. The answer leads it to another stream: the path that
   * it asked for stays its `streamPath`, the other one is its `sourcePath`. Undefined leaves it where it is led so far. It is
   * called for each subscriber, so it answers at once. A {@link SluiceError} that it throws refuses the session and reaches its client,
   * as {@link InvalidRequest} for a query that means nothing; what it throws or answers else is logged and passed over.
   */
  lead(request: SessionRequest): Lead | undefined
  /**
   * A subscriber was admitted to a path that has no publisher; it waits for one as long as `subscribe.waittimeout` says. The
   * request is that of one subscriber, and the answer holds for all that wait, so it should depend on the path alone; a
   * redirect on the protocol, too.
   *
   * A path is asked about once at a time. While a subscriber waits that has had nothing of the stream yet, it is asked about
   * again: a second after the answer, or when `withinMs` is over, and then at intervals that grow to ten seconds. So an
   * answer that has come to nothing, as with a source that gave up, does not hold for ever; a hook that is asked again while
   * it still tries answers the same again.
   */
  resolve(request: SessionRequest): Resolution | Promise<Resolution>
  /**
   * A stream has no track of a kind that a player accepts (`SessionInit.accepts`). The answer is the path of a stream that
   * fits and is published by then, such as `live/a~opus`; undefined where the hook can't help. Each stream and target has one
   * path, so that players share the result.
   *
   * The player gets that stream instead: in lists it is its `sourcePath`. When that ends while this one goes on, the hook is
   * asked again; when this one has a track that fits, players go back to it. The hook is not asked about a stream that a hook
   * named.
   */
  adapt(stream: StreamInfo, accepts: AcceptedCodecs): string | undefined | Promise<string | undefined>
  /** A publisher has started on a path. */
  published(stream: StreamInfo): void | Promise<void>
  /** A publisher has ended. */
  unpublished(stream: StreamInfo, reason: CloseReason): void | Promise<void>
  /** A track has appeared on a stream, or its configuration has changed. */
  track(stream: StreamInfo, track: Track): void | Promise<void>
  /** A subscriber was attached to a stream. */
  subscribed(subscriber: SubscriberInfo): void | Promise<void>
  /** A subscriber that was attached has ended. */
  unsubscribed(subscriber: SubscriberInfo, reason: CloseReason): void | Promise<void>
  /** A pull, push, recording or transcode does its work: for the first time, or again after it failed. */
  taskBegan(task: StreamTask): void | Promise<void>
  /**
   * A pull, push, recording or transcode does its work no more. A task that is tried again sends it once, however often it
   * fails, until it has begun or is over.
   */
  taskEnded(task: StreamTask, end: StreamTaskEnd): void | Promise<void>
  /**
   * A node of the task tree has ended: a run of a task, a publisher, or a subscriber that was attached to a stream. Viewers
   * may leave by the thousand within a second. `taskEnded` reports instead that the media of a pull or the like flows no more.
   */
  ended(ended: EndedTask): void | Promise<void>
  /** A file of a recording is whole: its stream goes on in the next one, or the recording has ended. */
  recorded(file: RecordedFile): void | Promise<void>
  /** The server is up: its plugins have started, and it listens on its addresses. Plugins that come later get no call. */
  started(): void | Promise<void>
  /** An event that operators should know, and that no other notice reports. */
  alarm(alarm: AlarmNotice): void | Promise<void>
}

/** The hooks without an answer, which report events: those of the server and those that plugins declare. */
export type NoticeName = Exclude<keyof Hooks, 'publish' | 'subscribe' | 'talk' | 'lead' | 'resolve' | 'adapt'>

/** The place of a tap among those of the same hook; without one, it comes after the taps that were made before. */
export type HookOrder = {
  /** The stage; lower ones come first, and taps without one are at 0. */
  readonly stage?: number
  /** The name of a plugin; its taps come after this one, whatever their stages. */
  readonly before?: string
}

/** The hooks, as a plugin taps them and sends notices. */
export interface HookRegistry {
  /**
   * Taps a hook; unloading the plugin undoes that. A notice may be tapped that no plugin declares yet.
   * @returns a function that undoes the tap
   */
  on<Name extends keyof Hooks>(name: Name, hook: Hooks[Name], order?: HookOrder): () => void
  /**
   * Calls all taps of a notice of the plugin's own, and waits for none; their errors are logged as theirs. The taps receive a
   * notice of `setup` when the generation takes over.
   * @throws {SluiceError} when the definition's `notices` does not name it
   */
  notify<Name extends NoticeName>(name: Name, ...args: Parameters<Hooks[Name]>): void
}
